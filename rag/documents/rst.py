"""reStructuredText as Markdown, line by line: every line keeps its number; of roles and directives
the words remain, code and tables stand as Markdown has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from rag.documents import encoding
from rag.documents.cleaning import clean
from rag.documents.stream import Part, Reading

_LONGEST = 1 << 20
"""A file of more bytes is given as it stands."""
_DEEPEST = 60
_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1*$")
_DIRECTIVE = re.compile(r"\.\.[ ]+(?:\|[^|]+\|[ ]+)?([\w:+.-]+)::(?:[ ]+(.*))?$")
_NOTE = re.compile(r"\.\.[ ]+(\[[^\]]+\])[ ]+(.*)")
_OPTION = re.compile(r":[\w -]+:(?=\s|$)")
_FIELD = re.compile(r":([^:`\n]{1,60}):(?=\s)")
_ITEM = re.compile(r"([-*+\u2022]|(?:\d{1,9}|#)[.)]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ ]+(?=\S)")
_BORDER = re.compile(r"(?:=+(?:[ ]+=+)+|\+[-=+]+\+)$")
_CODE = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "math", "productionlist"})
_UNREAD = frozenset(
    """image toctree contents include literalinclude index raw highlight highlightlang module
    currentmodule meta replace unicode default-role tabularcolumns automodule autoclass""".split()  # noqa: SIM905
)
_SAID = {
    **dict.fromkeys(("figure", "only", "container", "rst-class", "highlights"), ""),
    "versionadded": "Added in ",
    "versionchanged": "Changed in ",
    "deprecated": "Deprecated in ",
}
_NAMED = frozenset(
    "note warning tip important caution danger hint attention error seealso todo".split()  # noqa: SIM905
)
"""What a directive's name is said as before its words; of these that say nothing, no word is."""
_INLINE = (
    (re.compile(r"``([^\n]{1,300}?)``"), r"`\1`"),
    (re.compile(r":(?:ref|doc|term|any|numref|pep|rfc):`([^`<]{1,300}?)`"), r"\1"),
    (re.compile(r":[\w:+.-]{1,40}:`[!~]?(?:[\w.]+\.)?([^`<]{1,300})`"), r"`\1`"),
    (re.compile(r"(?::[\w:+.-]{1,40}:)?`([^`<]{1,300}?)\s*<[^<>`]{1,500}>`_{0,2}"), r"\1"),
    (re.compile(r"`([^`]{1,300})`__?(?!\w)"), r"\1"),
    (re.compile(r"(?<=\w)_{1,2}(?=[\s.,;:!?)]|$)"), ""),
    (re.compile(r"\\(?: |$)"), ""),
    (re.compile(r"\[#\w*\]_"), ""),
    (re.compile(r"(\[\w+\])_(?!\w)"), r"\1"),
)


def read(reading: Reading) -> Iterator[Part]:
    """The file as one piece."""
    if reading.path.stat().st_size > _LONGEST:
        yield from encoding.read(reading)
    else:
        yield Part(as_markdown(clean(encoding.read_text(reading))))


def as_markdown(text: str) -> str:
    """The same number of lines."""
    page = _Page(text.expandtabs(8).split("\n"))
    at = 0
    while at < len(page.lines):
        at = page.line(at)
    page.clean()
    return "\n".join(page.out)


class _Item(NamedTuple):
    """Where an item's text begins in the source, and in what is written."""

    indent: int
    column: int


class _Page:
    """`out` has what each of `lines` becomes; what is never written is not shown."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.out = [""] * len(lines)
        self._items: list[_Item] = []
        self._styles: list[str] = []
        self._prose: list[int] = []

    def line(self, at: int) -> int:
        """Writes what begins at a line; the number of the line behind it."""
        line = self.lines[at].strip()
        if not line:
            return at + 1
        indent = len(self.lines[at]) - len(self.lines[at].lstrip())
        while self._items and self._items[-1].indent > indent:
            self._items.pop()
        column = self._items[-1].column if self._items else 0
        if line.startswith("..") and line[2:3] in ("", " "):
            return self._explicit(at, line, indent, column)
        if _BORDER.match(line):
            return self._table(at, indent, column)
        if stop := self._heading(at, line, indent):
            return stop
        if line.startswith(">>> ") and not self.out[at - 1]:
            return self._code(at, self._paragraph(at), column, "python")
        return self._prose_line(at, line, indent, column)

    def _prose_line(self, at: int, line: str, indent: int, column: int) -> int:
        item = _ITEM.match(line)
        if item is not None and len(self._items) < _DEEPEST:
            marker = "1." if item[1][0] == "#" else "-" if item[1] == "\u2022" else item[1]
            marker = (marker.strip("()") if "(" in marker else marker) + " "
            self._items.append(_Item(indent + len(item[0]), column + len(marker)))
            return self._text(at, " " * column + marker, line[len(item[0]) :], indent)
        return self._text(at, " " * column, line, indent)

    def _text(self, at: int, before: str, line: str, indent: int) -> int:
        """A line of prose; where it ends in two colons, what is set in below is code."""
        shown = line[2:] if line.startswith("| ") else _FIELD.sub(r"\1:", line, count=1)
        stop = at + 1
        if shown.endswith("::") and not "".join(self.lines[at + 1 : at + 2]).strip():
            stop = self._code(at + 1, self._body(at + 1, indent), len(before))
            shown = ("" if shown == "::" else shown[:-1]) if stop > at + 1 else shown
        self.out[at] = (before + shown).rstrip()
        self._prose.append(at)
        return stop

    def _paragraph(self, at: int) -> int:
        """Behind the lines from `at` on, up to a blank one."""
        while at < len(self.lines) and self.lines[at].strip():
            at += 1
        return at

    def _body(self, at: int, indent: int) -> int:
        """Behind the lines from `at` on that are set in further, and blank ones between them."""
        stop = at
        for number in range(at, len(self.lines)):
            line = self.lines[number]
            if line.strip():
                if line[: indent + 1].strip():
                    break
                stop = number + 1
        return stop

    def _code(self, at: int, stop: int, column: int, language: str = "") -> int:
        """Code in a fence that stands on the blank lines around it; set in where one is missing."""
        while at < stop and not self.lines[at].strip():
            at += 1
        inside = [line for line in self.lines[at:stop] if line.strip()]
        inner = min((len(line) - len(line.lstrip()) for line in inside), default=0)
        fence = "```"
        while any(fence in line for line in inside):
            fence += "`"
        fenced = (
            inside and not self.out[at - 1] and not "".join(self.lines[stop : stop + 1]).strip()
        )
        for number in range(at, stop):
            shown = self.lines[number][inner:].rstrip()
            self.out[number] = " " * (column if fenced else column + 4) + shown if shown else ""
        if fenced:
            self.out[at - 1] = f"{' ' * column}{fence}{language}"
            self.out[stop : stop + 1] = [" " * column + fence][: len(self.out) - stop]
        return stop + bool(fenced)

    def _explicit(self, at: int, line: str, indent: int, column: int) -> int:
        """A directive; comments, targets and substitutions are not shown."""
        found, note = _DIRECTIVE.match(line), _NOTE.match(line)
        if found is None:
            if note is None:
                return max(self._body(at + 1, indent), at + 1)
            return self._text(at, " " * column, f"{note[1]} {note[2]}", indent)
        name, said = found[1].lower(), (found[2] or "").strip()
        begin = at + 1
        while begin < len(self.lines) and _OPTION.match(self.lines[begin].strip()):
            begin += 1
        if name in _UNREAD:
            return max(self._body(begin, indent), begin)
        if name in _CODE:
            language = said if name in {"code", "code-block", "sourcecode"} else ""
            return self._code(begin, max(self._body(begin, indent), begin), column, language)
        before = f"{name.capitalize()}: " if name in _NAMED else _SAID.get(name)
        shown = said if before is None else f"{before}{said}" if before else ""
        if shown:
            self._text(at, " " * column, shown.strip(), indent)
        return begin

    def _heading(self, at: int, line: str, indent: int) -> int:
        """Behind a heading that begins here; 0 where none does."""
        below = [each.rstrip() for each in self.lines[at + 1 : at + 3]] + ["", ""]
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
        level = min(self._styles.index(style) + 1, 6)
        self.out[at + over] = f"{'#' * level} {_plain(title)}"
        return at + 2 + over

    def _table(self, at: int, indent: int, column: int) -> int:
        """Rows between bars; what a table's first inner border is below is its header."""
        top = self.lines[at].strip()
        drawn = top[0] == "+"
        stop = self._paragraph(at)
        if not drawn:  # blank lines may stand in it: its borders tell where it ends
            reach = range(at + 1, len(self.lines))
            borders = [n for n in reach if self.lines[n].strip() == top][:2]
            stop = borders[-1] + 1 if borders else stop
        edges = [found.start() for found in re.finditer("=+", top)]
        headed = False
        for number in range(at + 1, stop - 1):
            line = self.lines[number][indent:].rstrip()
            if line.startswith(("+-", "+=", "==", "--")):
                cells = ["" if headed else "---"] * max(top.count("+") - 1, len(edges))
                headed = True
            elif drawn:
                cells = [cell.strip() for cell in line.strip("|").split("|")]
            else:
                ends = [*edges[1:], max(len(line), 1)]
                cells = [line[a:b].strip() for a, b in zip(edges, ends, strict=True)]
            self.out[number] = f"{' ' * column}| {' | '.join(map(_plain, cells))} |"
        return max(stop, at + 1)

    def clean(self) -> None:
        """Takes the markup out of prose; what is marked may go on in the next line."""
        runs = groupby(enumerate(self._prose), key=lambda each: each[1] - each[0])
        for _, run in runs:
            numbers = [number for _, number in run]
            text = _plain("\n".join(self.out[number] for number in numbers))
            for number, line in zip(numbers, text.split("\n"), strict=True):
                self.out[number] = line


def _plain(text: str) -> str:
    """Words without roles, targets and escapes, on as many lines."""
    for pattern, shown in _INLINE:
        text = pattern.sub(lambda found, shown=shown: _kept(found, shown), text)  # type: ignore[misc]
    return text


def _kept(found: re.Match[str], shown: str) -> str:
    words = found.expand(shown)
    return words + "\n" * (found[0].count("\n") - words.count("\n"))
