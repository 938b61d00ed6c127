"""LaTeX as text, line for line: headings as `# `, accents as letters, table rows as `a | b`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from rag.documents.encoding import text_blocks
from rag.documents.stream import Part, Reading

_LEVELS = {"part": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3}
_ARGUMENT = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_HEADING = re.compile(rf"[ \t]*\\({'|'.join(_LEVELS)})\*?(?:\[[^\]]*\])?{_ARGUMENT}")
_TITLE = re.compile(rf"\\title{_ARGUMENT}")
_ABOVE = re.compile(rf"[ \t]*\\(?:title|author|date){_ARGUMENT}")
_FIRST_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\\)%(?!(?<=\S%)[0-9A-F]{2}).*")  # not in an address
_AS_IT_IS = re.compile(r"[ \t]*\\(begin|end)\{(?:verbatim|lstlisting|minted)\*?\}")
_TABLE = re.compile(r"\\(begin|end)\{(?:tabular[xy*]?|longtable|tabu)\}(?:[\[{][^\[\]{}]*[\]}])*")
_RULE = re.compile(r"\\(?:toprule|midrule|bottomrule|hline|c(?:mid)?(?:rule|line)\{[^{}]*\})[ \t]*")
_CELL_END = re.compile(r"(?<!\\)&")
_ROW_END = re.compile(r"\\\\(?:\[[^\]]{0,20}\])?")
_ITEM = re.compile(r"^([ \t]*)\\item(?![A-Za-z])[ \t]*")
_UNSEEN = re.compile(
    r"\\(?:begin|end)\{[^{}]*\}(?:\[[^\]]{0,200}\])?|\\label\{[^{}]*\}"
    r"|\\(?:maketitle|centering|noindent|newpage|clearpage)(?![A-Za-z])"
)
_SAID = re.compile(r"\\(text[a-z]{2}|emph|underline|mbox|caption|footnote)\{([^{}]*)\}")
_MARKS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
    "r": "\u030a",
}  # fmt: skip
_ACCENT = re.compile(
    r"(\{)?\\(?:([\"'`^~=.])|([uvHckr])(?![A-Za-z]))[ \t]*"
    r"(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))(?(1)\})"
)
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
    "aa": "å", "AA": "Å", "S": "§", "pounds": "£", "texteuro": "€", "euro": "€", "dots": "…",
    "ldots": "…", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»",
}  # fmt: skip
_LETTER = re.compile(
    rf"(\{{)?\\({'|'.join(_LETTERS)})(?![A-Za-z])(?:\{{\}}|[ \t]+(?=\w))?(?(1)\}})"
)
_ESCAPED = re.compile(r"\\([&%$#_])")
_TIE = re.compile(r"(?<!/)~")
_DEPTH = 5


def read(reading: Reading) -> Iterator[Part]:
    """The file's text line for line; what only sets it, the preamble above all, is left blank."""
    lines = _Lines(comments=reading.path.suffix.lower() != ".bib")
    for number, block in enumerate(text_blocks(reading)):
        if number == 0:
            lines.above = "\\documentclass" in block and "\\begin{document}" in block
            titled = _TITLE.search(block[:20_000])
            reading.title = _plain(titled[1].replace("\\\\", " ")) if titled else None
        text = "\n".join(map(lines.shown, block.split("\n")))
        if number == 0 and titled is None:
            heading = _FIRST_HEADING.search(text)
            reading.title = heading and heading[1]
        yield Part(text)


@dataclass(slots=True)
class _Lines:
    """Where the line that comes next stands: in the preamble, in code, in a table."""

    comments: bool
    above: bool = False
    as_it_is: bool = False
    table: bool = False

    def shown(self, line: str) -> str:
        code = _AS_IT_IS.match(line)
        if code is not None:
            self.as_it_is = code[1] == "begin"
            return "```"
        if self.as_it_is:
            return line
        line = _COMMENT.sub("", line).rstrip() if self.comments else line
        if self.above:
            self.above = "\\begin{document}" not in line
            said = _ABOVE.match(line)
            return _plain(said[1]) if said else ""
        heading = _HEADING.match(line)
        if heading is not None:
            return f"{'#' * _LEVELS[heading[1]]} {_plain(heading[2] + line[heading.end() :])}"
        return _plain(self._row(line) if self.table or _TABLE.search(line) else line)

    def _row(self, line: str) -> str:
        ends = [found[1] for found in _TABLE.finditer(line)]
        line = _RULE.sub("", bare := _TABLE.sub("", line))
        if ends:
            self.table = ends[-1] == "begin"
        elif not line.strip():
            return "---" if bare.strip() else ""
        rows = (map(str.strip, _CELL_END.split(row)) for row in _ROW_END.split(line))
        return "; ".join(filter(None, map(" | ".join, rows)))


def _plain(line: str) -> str:
    """The line with letters for commands that stand for letters, and without those that set it."""
    if "\\" not in line:
        return _TIE.sub(" ", line)
    line = _UNSEEN.sub("", _ITEM.sub(r"\1- ", line))
    line = _LETTER.sub(lambda found: _LETTERS[found[2]], _ACCENT.sub(_accented, line))
    for _ in range(_DEPTH):
        line, count = _SAID.subn(lambda at: f" ({at[2]})" if at[1] == "footnote" else at[2], line)
        if not count:
            break
    return _ESCAPED.sub(r"\1", _TIE.sub(" ", line))


def _accented(found: re.Match[str]) -> str:
    letter, mark = found[4] or found[5], found[2] or found[3]
    return unicodedata.normalize("NFC", letter + _MARKS[mark])
