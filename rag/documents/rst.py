"""reStructuredText as Markdown: every line keeps its number; of roles and directives the words
remain, literal blocks and tables stand as Markdown has them.
"""

from __future__ import annotations

import re
from itertools import groupby

_DEEPEST = 12
_ADORNED = re.compile(r"([!-/:-@\[-`{-~])\1*$")
_DIRECTIVE = re.compile(r"\.\.[ ]+(?:\|[^|]+\|[ ]+)?([\w:+.-]+)::(?:[ ]+(.*))?$")
_OPTION = re.compile(r":[\w -]+:(?=\s|$)")
_FIELD = re.compile(r":([^:`\n]{1,60}):(?=\s)")
_ITEM = re.compile(r"([-*+\u2022]|(?:\d{1,9}|#)[.)]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ ]+(?=\S)")
_SIMPLE = re.compile(r"=+(?:[ ]+=+)+$")
_GRID = re.compile(r"\+[-=+]+\+$")
_CODE = frozenset({"code", "code-block", "sourcecode", "parsed-literal", "math", "productionlist"})
_UNREAD = frozenset(
    """image toctree contents include literalinclude index raw highlight highlightlang module
    currentmodule meta replace unicode default-role tabularcolumns automodule autoclass""".split()  # noqa: SIM905
)
_NOTES = {"versionadded": "Added in", "versionchanged": "Changed in", "deprecated": "Deprecated in"}
_NAMED = frozenset(
    "note warning tip important caution danger hint attention error seealso todo".split()  # noqa: SIM905
)
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


def as_markdown(text: str) -> str:
    """The same number of lines; `markdown_blocks` reads them."""
    page = _Page(text.expandtabs(8).split("\n"))
    page.convert(0, len(page.lines), 0, "")
    page.clean()
    return "\n".join(page.out)


class _Page:
    """`out` has what each of `lines` becomes; what is never written is not shown."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.out = [""] * len(lines)
        self._styles: list[str] = []
        self._prose: list[int] = []

    def convert(self, at: int, end: int, indent: int, prefix: str, depth: int = 0) -> None:
        """The lines of a body that is set in by `indent`; each is written behind `prefix`."""
        while at < end:
            line = self.lines[at][indent:].rstrip()
            if not line:
                at += 1
            elif depth > _DEEPEST:
                self.out[at] = prefix + line.strip()
                at += 1
            elif line[0] == " ":
                inner = len(self.lines[at]) - len(self.lines[at].lstrip())
                stop = self._body(at, end, inner)
                self.convert(at, stop, inner, prefix, depth + 1)
                at = stop
            elif line.startswith("..") and line[2:3] in ("", " "):
                stop = self._body(at + 1, end, indent + 1)
                self._explicit(at, stop, line, prefix, depth)
                at = stop
            elif _SIMPLE.match(line) or _GRID.match(line):
                at = self._table(at, end, indent, prefix)
            elif (stop := self._heading(at, end, line)) and not indent:
                at = stop
            elif line.startswith(">>> ") and not self.out[at - 1]:
                stop = self._block(at, end)
                self._fence(at - 1, at, stop, indent, prefix, "python")
                at = stop
            elif item := _ITEM.match(line):
                at = self._item(at, end, indent, prefix, item, depth)
            else:
                at = self._text(at, end, line, indent, prefix)

    def clean(self) -> None:
        """Takes the markup out of prose; what is marked may go on in the next line."""
        runs = groupby(enumerate(self._prose), key=lambda each: each[1] - each[0])
        for _, run in runs:
            numbers = [number for _, number in run]
            text = _plain("\n".join(self.out[number] for number in numbers))
            for number, line in zip(numbers, text.split("\n"), strict=True):
                self.out[number] = line

    def _body(self, at: int, end: int, least: int) -> int:
        """Behind the lines from `at` on that are set in by `least`, and blank ones before them."""
        stop = at
        while at < end and (not self.lines[at].strip() or not self.lines[at][:least].strip()):
            at += 1
            stop = at if self.lines[at - 1].strip() else stop
        return stop

    def _block(self, at: int, end: int) -> int:
        while at < end and self.lines[at].strip():
            at += 1
        return at

    def _text(self, at: int, end: int, line: str, indent: int, prefix: str) -> int:
        """A line; where it ends in two colons, what is set in below is shown as it stands."""
        shown = line[2:] if line.startswith("| ") else _FIELD.sub(r"\1:", line, count=1)
        opens = shown.endswith("::") and at + 1 < end and not self.lines[at + 1].strip()
        if opens and (stop := self._body(at + 1, end, indent + 1)) > at + 1:
            self.out[at] = prefix + ("" if shown == "::" else shown[:-1])
            self._prose.append(at)
            self._fence(at + 1, at + 2, stop, indent, prefix)
            return stop
        self.out[at] = prefix + shown
        self._prose.append(at)
        return at + 1

    def _fence(
        self, opens: int, at: int, stop: int, indent: int, prefix: str, language: str = ""
    ) -> None:
        """Code, its fence on the blank lines around it; where there is none, it is set in."""
        inside = [line for line in self.lines[at:stop] if line.strip()]
        if not inside:
            return
        inner = min(len(line) - len(line.lstrip()) for line in inside)
        fence = "`" * 3
        while any(fence in line for line in inside):
            fence += "`"
        closes = stop >= len(self.lines) or not self.lines[stop].strip()
        for number in range(at, stop):
            shown = self.lines[number][max(inner, indent) :].rstrip()
            self.out[number] = prefix + ("" if closes else "    ") + shown
        if closes:
            self.out[opens] = f"{prefix}{fence}{language}"
            self.out[stop : stop + 1] = [prefix + fence]

    def _explicit(self, at: int, stop: int, line: str, prefix: str, depth: int) -> None:
        """A directive; comments, targets and substitutions are not shown."""
        found = _DIRECTIVE.match(line)
        if found is None:
            note = re.match(r"\.\. (\[[^\]]+\]) +(.*)", line)
            if note:
                self.out[at] = f"{prefix}{note[1]} {_plain(note[2])}"
                self._inside(at + 1, stop, prefix, depth)
            return
        name, said = found[1].lower(), (found[2] or "").strip()
        begin = at + 1
        while begin < stop and _OPTION.match(self.lines[begin].strip()):
            begin += 1
        if name in _UNREAD:
            return
        if name in _CODE:
            language = said if name in {"code", "code-block", "sourcecode"} else ""
            first = begin + (begin < stop and not self.lines[begin].strip())
            self._fence(first - 1, first, stop, 0, prefix, language)
            return
        if name in _NOTES:
            said = f"{_NOTES[name]} {said}"
        elif name in _NAMED:
            said = f"{name.capitalize()}: {said}".strip()
        elif name in {"figure", "only", "container", "rst-class", "highlights"}:
            said = ""
        self.out[at] = prefix + _plain(said) if said else ""
        self._inside(begin, stop, prefix, depth)

    def _inside(self, at: int, stop: int, prefix: str, depth: int) -> None:
        inside = [line for line in self.lines[at:stop] if line.strip()]
        if inside:
            least = min(len(line) - len(line.lstrip()) for line in inside)
            self.convert(at, stop, least, prefix, depth + 1)

    def _item(
        self, at: int, end: int, indent: int, prefix: str, item: re.Match[str], depth: int
    ) -> int:
        width = len(item[0])
        stop = self._body(at + 1, end, indent + width)
        self.lines[at] = " " * (indent + width) + self.lines[at][indent + width :]
        self.convert(at, stop, indent + width, prefix + " " * width, depth + 1)
        marker = "1." if item[1][0] == "#" else "-" if item[1] == "\u2022" else item[1]
        written = self.out[at][len(prefix) + width :]
        self.out[at] = f"{prefix}{marker.strip('()') if '(' in marker else marker} {written}"
        return stop

    def _heading(self, at: int, end: int, line: str) -> int:
        """Behind a heading that begins here; 0 where none does."""
        under = self.lines[at + 1].rstrip() if at + 1 < end else ""
        over = len(line) > 2 and _ADORNED.match(line) is not None
        if over:
            title, under = under.strip(), self.lines[at + 2].rstrip() if at + 2 < end else ""
            if not title or under[:3] != line[:3]:
                return at + 1  # a line across the page
        else:
            title = line
        fits = len(under) >= min(len(title), 4) and _ADORNED.match(under)
        if not fits or (at and self.lines[at - 1].strip() and not over):
            return 0
        style = line[0] * 2 if over else under[0]
        if style not in self._styles:
            self._styles.append(style)
        level = min(self._styles.index(style) + 1, 6)
        self.out[at + over] = f"{'#' * level} {_plain(title)}"
        return at + 2 + over

    def _table(self, at: int, end: int, indent: int, prefix: str) -> int:
        """Rows between bars; what a table's first inner border is below is its header."""
        top = self.lines[at][indent:].rstrip()
        drawn = top[0] == "+"
        stop = self._block(at, end)
        if not drawn:  # blank lines may stand in it: its borders tell where it ends
            borders = [n for n in range(at + 1, end) if self.lines[n][indent:].rstrip() == top][:2]
            stop = borders[-1] + 1 if borders else stop
        edges = [found.span() for found in re.finditer("=+", top)]
        headed = False
        for number in range(at + 1, stop - 1):
            line = self.lines[number][indent:].rstrip()
            if line.startswith(("+-", "+=", "==", "--")):
                cells = ["---" if not headed else ""] * max(top.count("+") - 1, len(edges))
                headed = True
            elif drawn:
                cells = [cell.strip() for cell in line.strip("|").split("|")]
            else:
                ends = [start for start, _ in edges[1:]] + [max(len(line), 1)]
                pairs = zip(edges, ends, strict=True)
                cells = [line[start:stop].strip() for (start, _), stop in pairs]
            self.out[number] = f"{prefix}| {' | '.join(map(_plain, cells))} |"
        return stop


def _plain(text: str) -> str:
    """Words without roles, targets and escapes, on as many lines."""
    for pattern, shown in _INLINE:
        text = pattern.sub(lambda found, shown=shown: _kept(found, shown), text)  # type: ignore[misc]
    return text


def _kept(found: re.Match[str], shown: str) -> str:
    words = found.expand(shown)
    return words + "\n" * (found[0].count("\n") - words.count("\n"))
