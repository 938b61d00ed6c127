"""Where a text may be cut: what begins at each of its lines, and how good a cut is there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# How much a cut is worth before what it fills is added (0 to 1, see rag/text/chunk.py): a heading
# is worth more than a chunk filled to the brim, a line inside prose less than a sentence.
HEADING = 1.7
"""A first-level heading; each level below is worth 0.1 less."""
PARAGRAPH = 0.8
ITEM = 0.65
ROW = 0.45
LINE = 0.2
BLOCK = 0.4
"""From this worth on a cut keeps whole blocks, so no sentence need be looked for."""

LONG_LINE = 4096
"""A line without an end in sight is taken in pieces of this many characters."""

_GLANCE = 400
_NO_HEADINGS = frozenset({"code", "csv", "tsv", "json", "jsonl", "xml", "log"})
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_ORG = re.compile(r"(\*{1,6})[ \t]+(\S.*)")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•‣◦]|\(?(?:\d{1,9}|[A-Za-z])[.)])[ \t]+\S")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*")
_HEADING_TITLE = 120


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at `start` (absolute, characters) whose line or lines end at `end`."""

    start: int
    end: int
    level: int
    title: str


@dataclass(slots=True)
class BoundaryScanner:
    """Reads lines in order and notes every line start at which a cut may be made.

    `offsets` and `worths` are parallel and ascending; the chunker drops what it has passed.
    """

    format: str
    offsets: list[int] = field(default_factory=list)
    worths: list[float] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    _fence: str = ""
    _blank_before: bool = True
    _kind_before: str = ""
    _ends_open: bool = False
    _underline_levels: list[str] = field(default_factory=list)
    _skip_underline: bool = False

    def line(self, start: int, line: str, following: str) -> None:
        """Note what begins at `start`; `following` is the next line, or as much as is known."""
        line = line[:_GLANCE]
        text = line.strip()
        if not text:
            self._blank_before = True
            return
        if self._fence:
            self._inside_fence(start, text)
        elif self._skip_underline:
            self._skip_underline = False
            self._after("heading", text)
        else:
            self._outside_fence(start, line, text, following[:_GLANCE])

    def new_page(self) -> None:
        """What is open on one page says nothing about the next."""
        self._fence, self._kind_before = "", ""
        self._blank_before, self._skip_underline = True, False

    def _inside_fence(self, start: int, text: str) -> None:
        closes = text.startswith(self._fence) and not text.strip(self._fence[0])
        if not closes and self._kind_before != "fence":
            self._note(start, ROW if self._blank_before else BLOCK)
        self._after("code", text)
        if closes:
            self._fence, self._kind_before = "", "fence end"

    def _outside_fence(self, start: int, line: str, text: str, following: str) -> None:
        heading = self._heading(line, text, following)
        if heading is not None:
            level, title = heading
            if self._kind_before != "heading":
                self._note(start, HEADING - 0.1 * (level - 1))
            end = start + len(line) + (len(following) + 1 if self._skip_underline else 0)
            self.headings.append(Heading(start, end, level, title[:_HEADING_TITLE]))
            self._after("heading", text)
            return
        fence = _FENCE.match(line)
        item = _ITEM.match(line)
        if fence is not None:
            self._fence, kind = fence.group(1), "fence"
        elif text[0] == "|" or text.count(" | ") or text.count("\t") > 1:
            kind = "table"
        elif item is not None:
            kind = "item" if len(item.group(1)) < 2 else "nested item"
        else:
            kind = "prose"
        self._note(start, self._worth(kind, indented=line[0] in " \t"))
        self._after(kind, text)

    def _worth(self, kind: str, *, indented: bool) -> float:  # noqa: PLR0911 - a table of cases
        before = self._kind_before
        if before == "heading":  # never between a heading and what it heads
            return -1.0
        if kind == "table" and before == "table":
            return ROW
        if kind in ("item", "nested item") and before in ("item", "nested item"):
            return ITEM if kind == "item" else ROW
        if self._blank_before or before == "fence end" or kind == "fence":
            if indented and (before.endswith("item") or self.format == "code"):
                return ROW + 0.1
            return ITEM - 0.1 if self._ends_open else PARAGRAPH
        if kind == "prose":
            return BLOCK if self.format in _NO_HEADINGS else LINE
        return ITEM - 0.1 if self._ends_open else ITEM

    def _heading(self, line: str, text: str, following: str) -> tuple[int, str] | None:
        if self.format in _NO_HEADINGS:
            return None
        marked = (_ORG if self.format == "org" else _ATX).match(line)
        if marked is not None:
            return len(marked.group(1)), marked.group(2).rstrip(" \t#")
        if not self._blank_before or len(text) > _HEADING_TITLE:
            return None
        level = self._underlined(text, following)
        return None if level is None else (level, text)

    def _underlined(self, text: str, following: str) -> int | None:
        underline = _UNDERLINE.fullmatch(following)
        if underline is None or _UNDERLINE.fullmatch(text):
            return None
        mark = underline.group(1)
        if self.format in ("rst", "text"):
            if len(following.rstrip()) < len(text):
                return None
            if mark not in self._underline_levels:
                self._underline_levels.append(mark)
            level = min(self._underline_levels.index(mark) + 1, 6)
        elif mark in "=-":
            level = 1 if mark == "=" else 2
        else:
            return None
        self._skip_underline = True
        return level

    def _note(self, start: int, worth: float) -> None:
        if worth > 0:
            self.offsets.append(start)
            self.worths.append(worth)

    def _after(self, kind: str, text: str) -> None:
        self._kind_before = kind
        self._blank_before = False
        self._ends_open = text[-1] in ":\uff1a"
