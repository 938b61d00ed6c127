"""LaTeX as Markdown, line by line: every line keeps its number; headings, items, tables and code
stand as Markdown has them, of other commands the words remain, formulas stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from unicodedata import normalize

from rag.documents import encoding
from rag.documents.cleaning import clean
from rag.documents.stream import Part, Reading

_LONGEST = 1 << 20
"""A file of more bytes is given as it stands."""
_PASSES = 6
"""Commands that are nested deeper in each other are shown."""
_CODE = frozenset(
    "verbatim Verbatim lstlisting minted equation align gather multline eqnarray".split()  # noqa: SIM905
)
_UNREAD = frozenset({"comment", "tikzpicture", "filecontents"})
_TABLES = frozenset({"tabular", "tabularx", "longtable"})
_LEVELS = {"title": 1, "part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4}
_LEVELS |= {"frametitle": 4, "frame": 4, "block": 5}
_UNSAID = frozenset(
    """label vspace hspace includegraphics bibliographystyle bibliography input include thanks
    pagestyle thispagestyle setcounter setlength newcommand renewcommand addcontentsline cmidrule
    maketitle tableofcontents centering raggedright noindent newpage clearpage newline par hline
    toprule midrule bottomrule appendix small footnotesize normalsize large bfseries itshape
    smallskip medskip bigskip hfill vfill pause""".split()  # noqa: SIM905
)
_SAID = {"ldots": "…", "dots": "…", "LaTeX": "LaTeX", "TeX": "TeX", "ss": "ß", "S": "§"}
_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303"}
_ACCENT = re.compile(r"\\([\"'`^~])(?:\{\\?([A-Za-z])\}|([A-Za-z]))")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_FRAME = re.compile(r"\\begin\{(?:alert|example)?(frame|block)\}(?:\[[^\[\]]*\])?\{")
"""What opens a slide or a box on one, with its title."""
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{(\w+)\*?\}(?:\{[^{}]*\}|\[[^\[\]]*\])*")
_ITEM = re.compile(r"\\(?:bib)?item\b(?:<[^<>]*>|\s*\[([^\[\]]*)\])?")
_INSIDE = r"(?:[^{}$\\]|\\[^\n]|\$[^$]{1,500}\$)"
_MARKED = re.compile(
    rf"""(?P<formula>(?<!\\)\$\$?[^$]{{1,2000}}\$\$?|\\\((?:(?!\\\().){{1,500}}?\\\)
        |\\\[(?:(?!\\\[).){{1,2000}}?\\\]|`[^`\n]+`)
      | \\(?:verb|lstinline)\*?(?P<sign>[^\w\s{{])(?P<code>[^\n]{{1,300}}?)(?P=sign)
      | \\(?P<name>[A-Za-z]+)\*?(?:\[[^\[\]]{{0,300}}\]|\{{{_INSIDE}{{0,300}}\}})*
        \{{(?P<words>{_INSIDE}{{0,5000}})\}}
      | (?<![\w\]}}\\*])\{{(?:\\[A-Za-z]+\s+)?(?P<group>{_INSIDE}{{0,5000}})\}}
      | \\(?P<bare>[A-Za-z]+)(?![A-Za-z{{\[])[ ]?""",
    re.VERBOSE | re.DOTALL,
)
"""A formula, code in a line, a command with its words in the last braces, words in braces, or a
command without words.
"""
_ESCAPED = re.compile(r"\\([%&_#${}])|\\[ ,;:\\@/!-]|~")
"""A sign, a space, what breaks a line or has no width."""
_UNSEEN = "\u200b"
_GAP = re.compile(
    r"(?P<above>^(?!#|\u200b).+\n)?(?:^\u200b(?:\n|\Z))+(?P<below>(?=[^\n#|]))?", re.MULTILINE
)


def read(reading: Reading) -> Iterator[Part]:
    if reading.path.stat().st_size > _LONGEST:
        yield from encoding.read(reading)
    else:
        yield Part(as_markdown(clean(encoding.read_text(reading))))


def as_markdown(text: str) -> str:
    """The same number of lines; of those above the document's begin the title alone."""
    shown: list[str] = []
    for is_code, run in groupby(_lines(text.split("\n")), lambda line: line[0]):
        said = "\n".join(line for _, line in run)
        shown += (said if is_code else _prose(said)).split("\n")
    above, begin, _ = text.partition("\\begin{document}")
    for at in range(above.count("\n") if begin else 0):
        shown[at] *= shown[at].startswith("# ")
    return "\n".join(shown)


def _lines(lines: list[str]) -> Iterator[tuple[bool, str]]:
    """Whether each line is code, and what it is without comments and environments."""
    within = ""
    for raw in lines:
        is_code, kept = within in _CODE, within not in _UNREAD
        line = raw if "\\verb" in raw else _COMMENT.sub(r"\1", raw).strip()
        line = line or raw.strip()[:1]  # the sign of a comment alone
        found = _ENVIRONMENT.search(line)
        opens, named = (found[1] == "begin", found[2]) if found else (False, "")
        if is_code or not kept:
            ends = not opens and named == within
            yield is_code, "```" * is_code if ends else raw * kept
            within = "" if ends else within
        elif found and opens and named in _CODE | _UNREAD:
            is_whole = f"\\end{{{named}" in line
            within = within if is_whole else named
            yield named in _CODE, line if is_whole else "```" * (named in _CODE)
        else:
            if found and named in _TABLES:
                within, line = named * opens, ""
            line = _FRAME.sub(r"\\\1{", line)
            line = _ITEM.sub(r"- \1 ", _ENVIRONMENT.sub("", line))
            cells = re.split(r"(?<!\\)&", line) if within else []
            yield False, f"| {' | '.join(cells)}" if len(cells) > 1 else line


def _prose(text: str) -> str:
    lines = text.split("\n")
    text = _ACCENT.sub(lambda m: normalize("NFC", (m[2] or m[3]) + _ACCENTS[m[1]]), text)
    text = text.replace("``", "\u201c").replace("''", "\u201d").replace("`", "\u2018")
    for _ in range(_PASSES):
        text = _MARKED.sub(_shown, text)
    text = _ESCAPED.sub(lambda found: found[1] or " " * (found[0][-1] in " ,;:~"), text)
    shown = (" ".join(line.split()) for line in text.split("\n"))
    said = zip(shown, lines, strict=True)
    text = "\n".join(_UNSEEN if line and own in ("", "%") else own for own, line in said)
    return _GAP.sub(_closed, text)


def _closed(found: re.Match[str]) -> str:
    """Lines that say nothing do not part a paragraph that goes on below them."""
    within = found["above"] and found["below"] is not None
    return found[0] if within else found[0].replace(_UNSEEN, "")


def _shown(found: re.Match[str]) -> str:
    """What is said of it, on as many lines."""
    name, words = found["name"] or found["bare"], found["words"] or found["group"] or ""
    if found["formula"]:
        return found[0]
    shown = words or ("" if found["group"] == "" else _SAID.get(name, found[0]))
    if name in _UNSAID or (name and name.startswith("index")):
        shown = ""
    elif found["code"] or name == "texttt":
        shown = f"`{found['code'] or words}`"
    elif name in _LEVELS:
        shown = f"{'#' * _LEVELS[name]} {' '.join(words.split())}"
    elif name == "footnote":
        shown = f" ({words})"
    elif name and name.startswith("cite"):
        shown = f"[{words}]"
    return shown + "\n" * (found[0].count("\n") - shown.count("\n"))
