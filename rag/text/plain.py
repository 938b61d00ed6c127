"""Blocks by plain rules, line by line, in bounded memory: for every text that is not parsed."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from rag.text.line_marks import (
    CODE_LIKE,
    FENCE,
    GLANCE,
    ITEM,
    QUOTED,
    RULE,
    HeadingLine,
    heading,
    is_row,
    table_heading,
)
from rag.text.open_block import OpenBlock
from state.blocks import BlockKind, Extent, Placed

LONG_LINE = 4096
"""A line without an end in sight is taken in pieces of this many characters, and no block
is longer than such a piece and the one that follows.
"""

_RECORDS = frozenset({"json", "jsonl"})
_TABLES = frozenset({"csv", "tsv", "xlsx", "xls"})
_UNMARKED = frozenset({"code", "log"}) | _RECORDS | _TABLES
"""Formats whose lines are never a heading, a fence or an item."""
LONG_FIELD = 200
"""A record that is longer is read as prose."""


def scan_plain(text: str, document_format: str = "text") -> list[Placed]:
    """The blocks of a whole text; offsets in it."""
    scanner = PlainScanner(document_format)
    scanner.feed(text, 0, 0, final=True)
    scanner.end(len(text))
    return list(scanner.found)


@dataclass(slots=True)
class PlainScanner:
    """Takes a text in order; `found` are the blocks that no later line changes.

    Attributes:
        settled: every block that begins before this offset is in `found`.
    """

    format: str
    found: deque[Placed] = field(default_factory=deque)
    settled: int = 0
    _open: OpenBlock | None = None
    _held: Placed | None = None  # the last block: what follows says whether it is a lead
    _opens: bool = False  # it ends in a colon
    _fence: str = ""
    _blank: bool = True  # the line before was blank
    _goes_on: bool = False  # what was taken last is no whole line
    _skip: bool = False  # the next line underlines a heading
    _fence_at: int | None = None  # of the line before, if it opens a fence
    _header: Extent | None = None
    _list_lead: Extent | None = None
    _items: list[tuple[int, Extent]] = field(default_factory=list)

    def feed(self, text: str, base: int, position: int, *, final: bool) -> int:
        """Takes the lines of `text[position:]` of which enough is known, all if it is `final`;
        `text` begins at `base` of the document. Returns how far it came.
        """
        while position < len(text):
            reach = position + LONG_LINE
            end = text.find("\n", position, reach)
            if end < 0 and not final and len(text) < reach:
                break
            after = end + 1 if end >= 0 else min(len(text), reach)
            following = ""
            if end >= 0:
                reach = after + LONG_LINE
                next_end = text.find("\n", after, reach)
                if next_end < 0 and not final and len(text) < reach:
                    break
                following = text[after : next_end if next_end >= 0 else reach]
            self._line(base + position, text[position:after].removesuffix("\n"), following)
            self._goes_on = end < 0
            position = after
        return position

    def _line(self, start: int, line: str, following: str) -> None:
        """The line at `start`; `following` is the next, or as much as is known of it."""
        if self._goes_on:
            self._further(start, line)
        elif not line.strip():
            self._blank_line()
        elif self._fence:
            self._inside_fence(start, line)
        elif self._skip:
            self._skip = False
            self._blank = True
        else:
            self._visible(start, line, line[:GLANCE], following[:GLANCE])
            self._blank = False
        self.settled = start
        if self._open is not None:
            self.settled = self._open.at
        if self._held is not None:
            self.settled = self._held.at

    def end(self, position: int) -> None:
        """The text or page ends here; what is open says nothing about what follows."""
        self._close()
        self._release()
        self._fence, self._blank, self._skip, self._goes_on = "", True, False, False
        self._fence_at = self._header = self._list_lead = None
        self._items.clear()
        self.settled = position

    def _visible(self, start: int, line: str, glance: str, following: str) -> None:
        if self.format in _UNMARKED:
            self._unmarked(start, line, following)
            return
        titled = heading(glance, following, after_blank=self._blank)
        fence = FENCE.match(glance)
        if titled is not None:
            self._heading(start, line, titled)
        elif fence is not None:
            self._close()
            self._fence, self._fence_at = fence.group(1), start
        elif is_row(glance):
            self._row(start, line)
        elif RULE.match(glance):
            self._close()
        else:
            self._text(start, line, glance)

    def _heading(self, start: int, line: str, titled: HeadingLine) -> None:
        level, first, last, self._skip = titled
        self._begin(BlockKind.HEADING, start, start + first, line[first:last], level=level)
        self._close()
        self._items.clear()

    def _unmarked(self, start: int, line: str, following: str) -> None:
        begins = self._blank or self._held is None
        if self.format in _TABLES:
            titled = table_heading(line, following) if begins else None
            if titled is not None:
                self._heading(start, line, titled)
            else:
                self._row(start, line)
        elif self.format == "log":
            self._begin(BlockKind.ROW, start, start, line)
        elif self.format in _RECORDS:
            long = len(line) > LONG_FIELD
            self._begin(BlockKind.PARAGRAPH if long else BlockKind.METADATA, start, start, line)
        elif self._open is None:
            self._begin(BlockKind.CODE, start, start, line, level=int(line[0] in " \t"))
        else:
            self._extend(start, line)

    def _text(self, start: int, line: str, glance: str) -> None:
        item = ITEM.match(glance)
        kind = None if self._open is None else self._open.kind
        if self._is_code(glance):
            if kind is BlockKind.CODE:
                self._extend(start, line)
            else:
                self._begin(BlockKind.CODE, start, start, line, lead=self._introduction())
        elif item is not None:
            self._item(start, line, len(item.group(1).expandtabs(4)))
        elif (quoted := QUOTED.match(glance)) is not None:
            if kind is BlockKind.NOTE:
                self._extend(start, line)
            else:
                first = min(quoted.end(), len(line))
                self._begin(BlockKind.NOTE, start, start + first, line[first:])
        elif kind in (BlockKind.PARAGRAPH, BlockKind.ITEM) and not self._blank:
            self._extend(start, line)
        else:
            if glance[0] not in " \t":
                self._items.clear()
            level = len(self._items)
            self._begin(BlockKind.PARAGRAPH, start, start, line, level=level)

    def _is_code(self, glance: str) -> bool:
        if not glance.startswith(("    ", "\t")):
            return False
        if self._open is not None and self._open.kind is BlockKind.CODE:
            return True
        if not self._blank:
            return len(glance.strip()) < 80 and bool(CODE_LIKE.search(glance))
        if self._opens and not self._items and not ITEM.match(glance):
            return True
        return bool(CODE_LIKE.search(glance))

    def _introduction(self) -> Extent | None:
        """The block before, where it ends in a colon or is the item that this stands in."""
        self._close()
        if self._held is None:
            return None
        inside = self._held.block.kind is BlockKind.ITEM and bool(self._items)
        return self._held.block.extent if self._opens or inside else None

    def _item(self, start: int, line: str, indent: int) -> None:
        self._close()
        if not self._items:
            self._list_lead = self._introduction()
        while self._items and self._items[-1][0] >= indent:
            self._items.pop()
        lead = self._items[-1][1] if self._items else self._list_lead
        self._items.append((indent, (start, start)))
        self._begin(BlockKind.ITEM, start, start, line, level=len(self._items), lead=lead)

    def _row(self, start: int, line: str) -> None:
        goes_on = not self._blank and self._held is not None
        self._close()
        if not (goes_on and self._held and self._held.block.kind is BlockKind.ROW):
            self._header = None
        lead = self._introduction() if self._header is None else self._header
        self._begin(BlockKind.ROW, start, start, line, lead=lead)
        self._close()
        if self._header is None and self._held is not None:
            self._header = self._held.block.extent

    def _inside_fence(self, start: int, line: str) -> None:
        text = line.strip()
        if text.startswith(self._fence) and not text.strip(self._fence[0]):
            self._close()
            self._fence, self._blank = "", True
        elif self._open is None:
            at = start if self._fence_at is None else self._fence_at
            self._begin(BlockKind.CODE, at, start, line, lead=self._introduction())
        else:
            self._extend(start, line)
        self._fence_at = None

    def _blank_line(self) -> None:
        # Code may hold blank lines, in a fence or by its indentation.
        keeps = self._fence or (
            self._open is not None
            and self._open.kind is BlockKind.CODE
            and self.format not in _UNMARKED
        )
        if not keeps:
            self._close()
        self._blank = True

    def _further(self, start: int, line: str) -> None:
        if self._open is not None:
            self._extend(start, line)
        elif line.strip():
            self._begin(BlockKind.PARAGRAPH, start, start, line)

    def _begin(
        self,
        kind: BlockKind,
        at: int,
        start: int,
        line: str,
        *,
        level: int = 0,
        lead: Extent | None = None,
    ) -> None:
        self._close()
        self._open = OpenBlock(kind, at, [(start, line)], level, lead, len(line))

    def _extend(self, start: int, line: str) -> None:
        opened = self._open
        assert opened is not None
        if opened.size + len(line) > LONG_LINE:
            self._begin(opened.kind, start, start, line, level=opened.level, lead=opened.lead)
        else:
            opened.lines.append((start, line))
            opened.size += len(line) + 1

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        for placed, opens in opened.blocks():
            if placed.block.kind is BlockKind.ITEM and self._items:
                self._items[-1] = (self._items[-1][0], placed.block.extent)
            self._release(following=placed.block.kind)
            self._held, self._opens = placed, opens

    def _release(self, following: BlockKind | None = None) -> None:
        """The block held is done: it is a lead if it introduces what follows."""
        if self._held is None:
            return
        at, block = self._held
        introduced = following in (BlockKind.ITEM, BlockKind.CODE, BlockKind.ROW)
        if self._opens and introduced and block.kind is BlockKind.PARAGRAPH:
            block = block._replace(kind=BlockKind.LEAD)
        self.found.append(Placed(at, block))
        self._held = None
