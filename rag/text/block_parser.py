"""The blocks of a text, found line by line in bounded memory, whatever its format."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from rag.text.front_matter import MOST_FRONT_MATTER, front_matter
from rag.text.line_marks import (
    CODE_LIKE,
    DELIMITERS,
    FENCE,
    GLANCE,
    ITEM,
    LABEL,
    MARKDOWN_ITEM,
    QUOTED,
    RULE,
    HeadingLine,
    heading,
    is_for_programs,
    is_row,
    table_heading,
    unread_until,
)
from rag.text.open_block import OpenBlock
from state.blocks import BlockKind, Extent, Placed

LONG_LINE = 4096
"""A line without an end in sight is taken in pieces of this many characters."""
_MOST_CHARS = 1 << 16
"""No block is longer than this and such a piece."""

MARKDOWN = frozenset({"markdown", "rst", "notebook"})
_RECORDS = frozenset({"json", "jsonl"})
_TABLES = frozenset({"csv", "tsv", "xlsx", "xls"})
_UNMARKED = frozenset({"code", "log"}) | _RECORDS | _TABLES
"""Formats whose lines are never a heading, a fence or an item."""
_LONG_FIELD = 200
"""A record that is longer is read as prose."""
_INTRODUCED = frozenset({BlockKind.ITEM, BlockKind.CODE, BlockKind.ROW})
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.NOTE})


class _Item(NamedTuple):
    """An item that is open: the columns of its marker and of its text, and the block that it is."""

    indent: int
    content: int
    extent: Extent


@dataclass(slots=True)
class BlockParser:
    """Takes a text in order; `found` are the blocks that no later line changes.

    Attributes:
        format: as a reader names it; Markdown has marks of its own, code and tables have none.
        settled: every block that begins before this offset is in `found`.
    """

    format: str
    found: deque[Placed] = field(default_factory=deque)
    settled: int = 0
    _open: OpenBlock | None = None
    _held: Placed | None = None  # the last block: what follows says whether it is a lead
    _opens: bool = False  # it ends in a colon
    _fence: str = ""
    _fence_at: int | None = None  # of the line before, if it opens a fence
    _unread: str = ""  # what ends a comment that is open
    _blank: bool = True  # the line before was blank, or as good as blank
    _markup: bool = False  # it was for programs
    _quoted: bool = False
    _goes_on: bool = False  # what was taken last is no whole line
    _skip: bool = False  # the next line is of a heading or definition that was read
    _code_indent: int = 0
    _header: Extent | None = None
    _list_lead: Extent | None = None
    _items: list[_Item] = field(default_factory=list)

    def feed(self, text: str, base: int, position: int, *, final: bool) -> int:
        """Takes the lines of `text[position:]` of which enough is known, all if it is `final`;
        `text` begins at `base` of the document. Returns how far it came.
        """
        if base == position == 0 and self.format == "markdown" and text[:3] in {"---", "+++"}:
            if len(text) < MOST_FRONT_MATTER and not final:
                return 0
            fields, position = front_matter(text)
            self.found += fields
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
        elif self._fence and not (self._quoted and not QUOTED.match(line[:GLANCE])):
            self._inside_fence(start, line)
        elif self._skip:
            self._skip = False
            self._blank = True
        elif self.format in _UNMARKED:
            self._unmarked(start, line, following[:GLANCE])
            self._blank = False
        else:
            self._blank = self._marked(start, line, following[:GLANCE])
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
        self._unread, self._quoted = "", False
        self._items.clear()
        self.settled = position

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
            long = len(line) > _LONG_FIELD
            self._begin(BlockKind.PARAGRAPH if long else BlockKind.METADATA, start, start, line)
        elif self._open is None:
            self._begin(BlockKind.CODE, start, start, line, level=int(line[0] in " \t"))
        else:
            self._extend(start, line)

    def _marked(self, start: int, line: str, following: str) -> bool:
        """A line whose marks say what it is; whether it is as good as a blank one."""
        self._fence = ""
        glance, indent = line[:GLANCE], _indent(line[:GLANCE])
        if not self._markup and self._is_code(glance, indent):
            self._code_line(start, line)
            return False
        self._markup = self._is_unread(line)
        if self._markup:
            self._close()
            return True
        quotes = QUOTED.match(glance)
        if (quotes is not None) != self._quoted and (quotes or self._blank):
            self._close()
            self._leave_items(indent)
            self._quoted = quotes is not None
        first = quotes.end() if quotes else 0
        inner = line[first:]
        if not inner.strip():
            self._blank_line()
            return True
        if quotes:
            glance = inner[:GLANCE]
            indent += 1 + _indent(glance)
        if (fence := FENCE.match(glance)) is not None:
            self._fenced(start, fence[1], indent)
        elif (titled := self._titled(glance, "" if quotes else following)) is not None:
            self._heading(start + first, inner, titled)
        elif self._is_row(glance, following):
            self._leave_items(indent)
            self._row(start + first, inner)
        elif RULE.match(glance):
            self._close()
        else:
            self._text(start, line, first, indent)
        return False

    @property
    def _is_markdown(self) -> bool:
        return self.format in MARKDOWN

    def _is_unread(self, line: str) -> bool:
        """Whether a line of Markdown is for programs: a tag alone, a comment, a definition."""
        if not self._is_markdown:
            return False
        if not self._unread:
            self._unread = unread_until(line[:GLANCE])
            if not self._unread:
                self._skip = LABEL.fullmatch(line) is not None
                return self._skip or (len(line) <= GLANCE and is_for_programs(line))
        if self._unread in line.lower():
            self._unread = ""
        return True

    def _is_code(self, glance: str, indent: int) -> bool:
        """Whether a line is code for being set in."""
        kind = None if self._open is None else self._open.kind
        if not self._is_markdown:
            return glance.startswith(("    ", "\t")) and self._looks_like_code(glance, kind)
        if kind is BlockKind.CODE:
            return indent >= self._code_indent
        if kind in _PROSE and not self._blank:
            return False
        inside = [item.content for item in self._items if item.content <= indent]
        self._code_indent = (inside[-1] if inside else 0) + 4
        return indent >= self._code_indent

    def _looks_like_code(self, glance: str, kind: BlockKind | None) -> bool:
        """Of a line that is set in, in a text without marks for code."""
        is_item = ITEM.match(glance) is not None
        if kind is BlockKind.CODE or (self._items and is_item):
            return kind is BlockKind.CODE and not (self._items and is_item)
        if self._blank and self._opens and not self._items and not is_item:
            return True
        return (self._blank or len(glance.strip()) < 80) and bool(CODE_LIKE.search(glance))

    def _is_row(self, glance: str, following: str) -> bool:
        goes_on = not self._blank and self._held and self._held.block.kind is BlockKind.ROW
        if not self._is_markdown:
            alone = not (goes_on or glance.lstrip()[:1] == "|" or is_row(following))
            return is_row(glance) and not alone
        if goes_on and self._open is None:
            below_header = self._held is not None and self._held.block.extent == self._header
            return "|" in glance and not (below_header and DELIMITERS.match(glance))
        return "|" in glance and "|" in following and DELIMITERS.match(following) is not None

    def _titled(self, glance: str, following: str) -> HeadingLine | None:
        return heading(glance, following, after_blank=self._blank, markdown=self._is_markdown)

    def _heading(self, start: int, line: str, titled: HeadingLine) -> None:
        level, first, last, self._skip = titled
        self._begin(BlockKind.HEADING, start, start + first, line[first:last], level=level)
        self._close()
        self._items.clear()

    def _code_line(self, start: int, line: str) -> None:
        if self._open is not None and self._open.kind is BlockKind.CODE:
            self._extend(start, line)
            return
        at = start if self._fence_at is None else self._fence_at
        lead, level = self._introduction(), len(self._items)
        self._begin(BlockKind.CODE, at, start, line, level=level, lead=lead)

    def _fenced(self, start: int, fence: str, indent: int) -> None:
        self._close()
        if self._is_markdown:  # code of another format is not set in
            self._leave_items(indent)
        self._fence, self._fence_at = fence, start

    def _inside_fence(self, start: int, line: str) -> None:
        text = line.strip(" \t>")
        if text.startswith(self._fence) and not text.strip(self._fence[0]):
            self._close()
            self._fence, self._blank = "", True
        else:
            self._code_line(start, line)
        self._fence_at = None

    def _text(self, start: int, line: str, first: int, indent: int) -> None:
        """A line of prose, its words from `first` on: an item, a definition, or more of what is
        open.
        """
        inner = line[first:]
        item = (MARKDOWN_ITEM if self._is_markdown else ITEM).match(inner[:GLANCE])
        opened = self._open if not self._blank else None
        if item is not None and self._is_markdown and opened and not self._items:
            # A year at a line's start is no item.
            item = item if item[2] in (None, "1") else None
        if item is not None:
            self._item(start, line, first, indent, item.end() - 1)
        elif opened is not None and opened.kind in _PROSE:
            if inner.startswith(": ") and opened.kind is BlockKind.PARAGRAPH:
                opened.kind, opened.level, opened.whole = BlockKind.ITEM, 1, True
            self._extend(start, line)
        else:
            self._leave_items(indent)
            kind = BlockKind.NOTE if self._quoted else BlockKind.PARAGRAPH
            begin = start + first
            self._begin(kind, start, begin, line[first:], level=len(self._items))

    def _item(self, start: int, line: str, first: int, indent: int, content: int) -> None:
        self._close()
        if not self._items:
            self._list_lead = self._introduction()
        self._leave_items(indent)
        lead = self._items[-1].extent if self._items else self._list_lead
        text = line[first + content :]
        column = indent + content - (len(line[first:]) - len(line[first:].lstrip()))
        self._items.append(_Item(indent, column, (start, start)))
        if fence := FENCE.match(text):
            self._items[-1] = _Item(indent, column, lead or (start, start))
            self._fence, self._fence_at = fence[1], start
            return
        self._begin(
            BlockKind.ITEM, start, start + first, line[first:], level=len(self._items), lead=lead
        )

    def _leave_items(self, indent: int) -> None:
        """Of the items that are open, those stay in which a line that is set in so far lies."""
        while self._items and self._items[-1].indent >= indent:
            self._items.pop()

    def _row(self, start: int, line: str) -> None:
        opened = self._open
        caption = (
            opened if not self._blank and opened and opened.kind is BlockKind.PARAGRAPH else None
        )
        goes_on = not self._blank and self._held is not None
        self._close()
        if not (goes_on and self._held and self._held.block.kind is BlockKind.ROW):
            self._header = None
        if caption is not None and len(caption.lines) == 1 and self._held is not None:
            self._opens = True  # what stands right above a table says what it shows
        lead = self._introduction() if self._header is None else self._header
        self._begin(BlockKind.ROW, start, start, line, level=len(self._items), lead=lead)
        self._close()
        if self._header is None and self._held is not None:
            self._header = self._held.block.extent

    def _introduction(self) -> Extent | None:
        """The block before, where it ends in a colon, or the item that this stands in."""
        self._close()
        if self._held and self._opens and self._held.block.kind is not BlockKind.HEADING:
            return self._held.block.extent
        return self._items[-1].extent if self._items else None

    def _blank_line(self) -> None:
        # Code may hold blank lines, in a fence or by its indentation.
        keeps = self._fence or (
            self._open is not None
            and self._open.kind is BlockKind.CODE
            and self.format not in _UNMARKED
        )
        if not keeps:
            self._close()
        self._blank, self._markup = True, False

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
        whole = self._is_markdown
        self._open = OpenBlock(kind, at, [(start, line)], level, lead, len(line), whole)

    def _extend(self, start: int, line: str) -> None:
        opened = self._open
        assert opened is not None
        if opened.size + len(line) > _MOST_CHARS:
            self._begin(opened.kind, start, start, line, level=opened.level, lead=opened.lead)
        else:
            opened.lines.append((start, line))
            opened.size += len(line) + 1

    def _close(self) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        for (at, found), opens in opened.blocks():
            block = found
            if found.kind is BlockKind.ITEM and self._items:
                self._items[-1] = self._items[-1]._replace(extent=found.extent)
            if found.kind is BlockKind.CODE is not opened.kind and self._held:
                above = self._held.block
                introduced = self._opens or above.kind is BlockKind.ITEM
                block = found._replace(lead=above.extent if introduced else None)
            self._release(following=block.kind)
            self._held, self._opens = Placed(at, block), opens

    def _release(self, following: BlockKind | None = None) -> None:
        """The block held is done: it is a lead if it introduces what follows."""
        if self._held is None:
            return
        at, block = self._held
        if self._opens and following in _INTRODUCED and block.kind is BlockKind.PARAGRAPH:
            block = block._replace(kind=BlockKind.LEAD)
        self.found.append(Placed(at, block))
        self._held = None


def _indent(line: str) -> int:
    """In columns."""
    space = line[: len(line) - len(line.lstrip(" \t"))]
    return len(space.expandtabs(4))
