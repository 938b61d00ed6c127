"""Turns reStructuredText into Markdown line by line, so that every line keeps its number: roles and
directives become their words, code is indented and tables stand as Markdown has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, pairwise

from rag.documents.cleaning import clean
from rag.documents.encoding import read_decoded
from rag.documents.stream import Part, Reading

_LONGEST = 1 << 20
"""A longer text stays as it stands."""
_DEEPEST, _CODE_COLUMN = 3, 4
"""Columns that prose is set in by at most, and code, also in an item."""
_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1*$")
_DIRECTIVE = re.compile(r"\.\.[ ]+(?:\|[^|]+\|[ ]+)?([\w:+.-]+)::(?:[ ]+(.*))?$")
_NOTE = re.compile(r"\.\.[ ]+(\[[^\]]+\][ ]+.*)")
_OPTION = re.compile(r":[\w -]+:(?=\s|$)")
_FIELD = re.compile(r":([^:`\n]{1,60}):(?=\s)")
_ITEM = re.compile(r"(#[.)]|\u2022)(?=[ ]+\S)|\((?=\d{1,3}\)[ ])")
"""The mark of an item that Markdown has none like it for: one that numbers itself, a bullet, "(1)".
"""
_BORDER = re.compile(r"(?:=+(?:[ ]+=+)+|\+[-=+]+\+)$")
_RULED = ("+-", "+=", "==", "--")
_CODE = frozenset(
    """code code-block sourcecode parsed-literal math productionlist jupyter-execute ipython
    testcode testoutput doctest prompt""".split()  # noqa: SIM905
)
_UNREAD = frozenset(
    """image toctree contents include literalinclude index raw highlight highlightlang module
    currentmodule meta replace unicode default-role default-domain role tabularcolumns automodule
    autoclass graphviz graph digraph inheritance-diagram sectionauthor codeauthor""".split()  # noqa: SIM905
)
_NAMED = "note warning tip important caution danger hint attention error todo"
_SAID = {
    "versionadded": "Added in ",
    "versionchanged": "Changed in ",
    "deprecated": "Deprecated in ",
    "seealso": "See also: ",
    **{name: f"{name.capitalize()}: " for name in _NAMED.split()},
    **{f"http:{name}": f"{name.upper()} " for name in ("get", "post", "put", "patch", "delete")},
    **dict.fromkeys(("figure", "only", "container", "rst-class", "highlights"), None),
}
"""The words that a directive's name becomes; None: neither its name nor its argument is shown."""
_MARKED = re.compile(
    r"""``(?P<literal>(?:[^`]|`(?!`)){1,300}?)``(?!`)
      | (?::(?P<role>[\w:+.-]{1,40}):)?
        `~?(?P<words>[^`]{1,300}?)(?:\s*<[^<>`]{1,500}>)?`(?P<link>_{0,2})
      | \\(?P<escaped>\W|$)
      | (?P<note>\[\w+\])_(?!\w)
      | (?<![\w|])\|[^\W\d_](?:[\w -]{0,60}\w)?\|_{0,2}(?![\w|])""",
    re.VERBOSE,
)
"""Markup within prose: code, a role or a reference, an escaped sign, a note, a substitution."""
_REFERS = frozenset("ref doc term any numref pep rfc dfn abbr sup sub".split())  # noqa: SIM905
"""Roles whose words are prose; those of others are code."""


def read(reading: Reading) -> Iterator[Part]:
    text = clean(read_decoded(reading).text)
    yield Part(text if len(text) > _LONGEST else as_markdown(text))


def as_markdown(text: str) -> str:
    """The text as Markdown, with the same number of lines."""
    page = _Page(text.expandtabs(8).split("\n"))
    at = 0
    while at < len(page.lines) - 1:
        at = page.line(at)
    shown: list[str] = []
    # What is marked may go on in the next line of a paragraph.
    for prose, run in groupby(enumerate(page.out), lambda n: bool(n[1]) and n[0] not in page.code):
        lines = [line for _, line in run]
        shown += _MARKED.sub(_shown, "\n".join(lines)).split("\n") if prose else lines
    return "\n".join(shown[:-1])


class _Page:
    """A page while it is read: `out` holds what each of `lines` becomes, blank where nothing is
    written, `code` the numbers of the lines of code. A blank line is put behind the last.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = [*lines, ""]
        self.out = [""] * len(self.lines)
        self.code: set[int] = set()
        self._styles: list[str] = []

    def line(self, at: int) -> int:
        """Writes what begins at a line; returns the number of the line behind it."""
        line = self.lines[at].strip()
        if not line:
            return at + 1
        indent = len(self.lines[at]) - len(self.lines[at].lstrip())
        if line.startswith("..") and line[2:3] in ("", " "):
            return self._explicit(at, line, indent)
        if _BORDER.match(line):
            return self._table(at, indent)
        if line.startswith(">>> ") and not self.out[at - 1]:
            return self._code(at, self._blank(at))
        item = _ITEM.match(line)
        line = f"{'-' * bool(item[1])}{line[item.end() :]}" if item else line
        return self._heading(at, line, indent) or self._text(at, line, indent)

    def _text(self, at: int, line: str, indent: int) -> int:
        """Writes a line of prose; where it ends in two colons, what is set in below is code."""
        shown = line[2:] if f"{line} ".startswith("| ") else _FIELD.sub(r"\1:", line, count=1)
        stop = at + 1
        if shown.endswith("::") and not self.lines[stop].strip():
            stop = self._code(stop, self._body(stop, indent))
            shown = shown[:-1].rstrip(":") + ":" * (shown != "::")
        self.out[at] = (" " * min(indent, _DEEPEST) + shown).rstrip()
        return stop

    def _body(self, at: int, indent: int) -> int:
        """The end of the lines from `at` on that are set in further, with blank ones between."""
        stop = at
        for number in range(at, len(self.lines)):
            if self.lines[number].strip():
                if self.lines[number][: indent + 1].strip():
                    break
                stop = number + 1
        return stop

    def _code(self, at: int, stop: int) -> int:
        inside = [line for line in self.lines[at:stop] if line.strip()]
        inner = min((len(line) - len(line.lstrip()) for line in inside), default=0)
        for number in range(at, stop):
            self.out[number] = (" " * _CODE_COLUMN + self.lines[number][inner:]).rstrip()
        self.code.update(range(at, stop))
        return stop

    def _explicit(self, at: int, line: str, indent: int) -> int:
        """Writes a directive; comments, targets and substitutions are not shown."""
        found, note = _DIRECTIVE.match(line), _NOTE.match(line)
        if note is not None:
            return self._text(at, note[1], indent)
        begin = at + 1
        if found and _OPTION.match(self.lines[begin].strip()):
            begin = self._blank(begin)
        name = found[1].lower() if found else "replace"
        if name in _UNREAD:
            return self._body(begin, indent)
        if name in _CODE:
            return self._code(begin, self._body(begin, indent))
        said = _SAID.get(name, "")
        if found and said is not None and (words := f"{said}{found[2] or ''}".strip()):
            self._text(at, words, indent)
        return begin

    def _blank(self, at: int) -> int:
        """The first blank line from `at` on."""
        return next(n for n in range(at, len(self.lines)) if not self.lines[n].strip())

    def _heading(self, at: int, line: str, indent: int) -> int:
        """Writes a heading that begins here and returns the line behind it; 0 where none does."""
        below = [each.rstrip() for each in self.lines[at + 1 : at + 3]] + [""]
        over = not indent and len(line) > 2 and _ADORNED.match(line) is not None
        title, under = (below[0].strip(), below[1]) if over else (line, below[0])
        if over and (not title or under[:3] != line[:3]):
            return at + 1  # a line across the page
        fits = len(under) >= min(len(title), 4) and _ADORNED.match(under)
        if indent or not fits or (at and self.lines[at - 1].strip() and not over):
            return 0
        style = line[0] * 2 if over else under[0]
        if style not in self._styles:
            self._styles.append(style)
        self.out[at + over] = f"{'#' * min(self._styles.index(style) + 1, 6)} {title}"
        return at + 2 + over

    def _table(self, at: int, indent: int) -> int:
        """Writes each line as a row between bars; the first border within is below the header."""
        top = self.lines[at].strip()
        is_grid = top[0] == "+"
        edges = [found.start() for found in re.finditer("=+", top)]
        sign, stop = "---", len(self.lines)
        for number in range(at + 1, stop):
            line = self.lines[number][indent:].rstrip()
            if (is_grid and not line) or (line == top and not self.lines[number + 1].strip()):
                stop = number + 1
                break
            cells = [line[a:b].strip() for a, b in pairwise([*edges, max(len(line), 1)])]
            drawn = line if is_grid else f"| {' | '.join(cells)} |"
            if line.startswith(_RULED):
                drawn = re.sub("[-=]+", sign, drawn).replace("+", "|")
                sign = " "
            self.out[number] = drawn
        if sign == "---":  # no border within: its columns have no names
            self.out[at] = "|  |"
        return stop


def _shown(found: re.Match[str]) -> str:
    """The words of markup without its role, target and escapes, on as many lines."""
    literal, role, words, link, escaped = found.group("literal", "role", "words", "link", "escaped")
    if literal is not None:
        ticks = "``" if "`" in literal else "`"
        shown = f"{ticks}{literal}{ticks}"
    elif words is not None:
        titled = found[0].endswith(">`")
        shown = words if link or role in _REFERS or titled else f"`{words}`"
    else:
        shown = (escaped or "").strip(" ") or found["note"] or ""
    broken = "\n" * (found[0].count("\n") - shown.count("\n"))
    head, _, last = shown.rpartition(" ")
    # A full stop may stand right behind a target.
    return f"{head}{broken}{last}" if broken and head else shown + broken
