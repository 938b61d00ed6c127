"""The blocks found so far, the one that is open and the items around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rag.text.line_marks import DEFINITION, GLANCE
from rag.text.wrapping import FIELD, defines, lines_of, runs, stripped
from state.blocks import PROSE, Block, BlockKind, Extent

_ALERT = re.compile(r"\[!\w+\][+-]?[ \t]*(?:\n[ \t>]*)?")
_BREAK = re.compile(r"(?: {2}|\\|<br\s*/?>)[ \t]*$")
"""What breaks a line of Markdown where it ends."""
_CODE_SPAN = re.compile(r"(`+)([^`\n]+)\1")
_HTML_HEADING = re.compile(r"<h([1-6])(?:\s[^<>]{0,500})?>([^<]*)</h\1>")


class Item(NamedTuple):
    """An open item, or another line that has lines set in below it: the columns of its mark and of
    its text, and the extent of its block.
    """

    indent: int
    content: int
    extent: Extent | None


@dataclass(slots=True)
class BlockBuilder:
    """`found` are the blocks of `text`; of the `open` one lines are still being read. In Markdown a
    line break means nothing, and marks around a heading are no part of its block. `opens`: the
    last block ends in a colon.
    """

    text: str
    is_markdown: bool
    found: list[Block]
    open: Block | None = None
    opens: bool = False
    items: list[Item] = field(default_factory=list)
    _header: Extent | None = None

    @property
    def kind(self) -> BlockKind | None:
        return None if self.open is None else self.open.kind

    @property
    def last(self) -> Block | None:
        """The block before the one that is open."""
        return self.found[-1] if self.found else None

    @property
    def below_header(self) -> bool:
        return self.last is not None and self.last.extent == self._header

    def begin(
        self,
        kind: BlockKind,
        start: int,
        end: int,
        *,
        level: int | None = None,
        lead: Extent | None = None,
    ) -> None:
        """Opens a block inside the open items, which goes on to `end` at least."""
        self.close()
        self.open = Block(kind, start, end, len(self.items) if level is None else level, lead)

    def extend(self, end: int) -> None:
        """The open block goes on to `end`."""
        assert self.open is not None
        self.open = self.open._replace(end_char=end)

    def close(self) -> None:
        """Ends the open block, and adds what it becomes to those found."""
        opened, self.open = self.open, None
        if opened is None:
            return
        for finished in self._finished(opened):
            block, above = finished, self.last
            if block.kind is BlockKind.ITEM and self.items:
                self.items[-1] = self.items[-1]._replace(extent=block.extent)
            if block.kind is BlockKind.CODE is not opened.kind and above:
                introduced = self.opens or above.kind is BlockKind.ITEM
                block = block._replace(lead=above.extent if introduced else None)
            self.found.append(block)
            self.opens = ends_open(self._said(block.extent))

    def _finished(self, opened: Block) -> Iterator[Block]:
        """What an open block becomes: one block, or several where lines were broken on purpose."""
        kind, extents = opened.kind, [opened.extent]
        if kind in PROSE and "\n" in self._said(opened.extent):
            lines = lines_of(self.text, *opened.extent)
            is_alone = kind is BlockKind.PARAGRAPH
            is_whole = self.is_markdown or any(DEFINITION.match(line) for _, line in lines[1:])
            fields = is_alone and all(FIELD.match(line[:GLANCE]) for _, line in lines)
            broken = is_alone and all(_BREAK.search(line[-GLANCE:]) for _, line in lines[:-1])
            by_line = fields or broken
            if by_line or not is_whole:
                extents = (
                    [(at, at + len(line)) for at, line in lines] if by_line else [*runs(lines)]
                )
                if fields:
                    kind = BlockKind.FIELD
                elif is_alone and defines(lines, extents):
                    kind, extents = BlockKind.ITEM, [(extents[0][0], extents[-1][1])]
        for index, extent in enumerate(extents):
            own = BlockKind.PARAGRAPH if index and kind is BlockKind.ITEM else kind
            block = Block(own, *stripped(self.text, *extent, own), opened.level, opened.lead)
            if self.is_markdown and own in PROSE:
                block = _unwrapped(block, self._said(block.extent))
            if block.start_char < block.end_char:
                yield block

    def _said(self, extent: Extent) -> str:
        return self.text[slice(*extent)]

    def introduction(self) -> Extent | None:
        """The block before, where it ends in a colon, or the item that this stands in."""
        self.close()
        if self.last and self.opens and self.last.kind is not BlockKind.HEADING:
            return self.last.extent
        return self.items[-1].extent if self.items else None

    def leave_items(self, indent: int) -> None:
        """Closes the open items that a line with this indentation does not stand in."""
        while self.items and self.items[-1].indent >= indent:
            self.items.pop()

    def row(self, start: int, end: int, *, after_blank: bool, below: str = "") -> None:
        """Adds a line of a table, whose first row is the header of the others. `below`: the next
        line of a sheet, which may hold several tables.
        """
        self.close()
        # One cell above several is a title; more names than above it begin a table of their own.
        said = self._said((start, end)).strip("| \t")
        title = self._said(self._header or (0, 0)).removeprefix("|").rstrip("| ")
        names = below.count(" | ") >= said.count(" | ") and not re.search(r"\d|\| +\|", said)
        wider = said.count(" | ") > title.count(" | ")
        titled = title and wider and (names or "|" not in title)
        if after_blank or titled or self.last is None or self.last.kind is not BlockKind.ROW:
            self._header = None
        elif not said:
            return  # no cell says anything
        lead = self.introduction() if self._header is None else self._header
        self.begin(BlockKind.ROW, start, end, lead=lead)
        self.close()
        if self._header is None and self.last is not None:
            self._header = self.last.extent


def ends_open(text: str) -> bool:
    return text[-GLANCE:].rstrip().rstrip(" *_").endswith((":", "\uff1a"))


def _unwrapped(block: Block, text: str) -> Block:
    """A paragraph of Markdown without an alert's name; a heading of HTML is one, a code span alone
    is code. `text` is what it says.
    """
    start = block.start_char
    if block.kind is BlockKind.NOTE and (alert := _ALERT.match(text)):
        return block._replace(start_char=start + alert.end())
    if titled := _HTML_HEADING.fullmatch(text):
        first, last = stripped(text, *titled.span(2))
        return Block(BlockKind.HEADING, start + first, start + last, int(titled[1]))
    span = _CODE_SPAN.fullmatch(text) if block.kind is BlockKind.PARAGRAPH else None
    if span is None:
        return block
    return block._replace(
        kind=BlockKind.CODE, start_char=start + span.start(2), end_char=start + span.end(2)
    )
