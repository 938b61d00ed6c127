"""The blocks found so far, the one that is open and the items around it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

from rag.text.open_block import OpenBlock
from state.blocks import BlockKind, Extent, Placed

_MOST_CHARS = 1 << 16
"""No block is longer than this and a piece of a line."""
_INTRODUCED = frozenset({BlockKind.ITEM, BlockKind.CODE, BlockKind.ROW})


class Item(NamedTuple):
    """An item that is open: the columns of its marker and of its text, and the block that it is."""

    indent: int
    content: int
    extent: Extent


@dataclass(slots=True)
class BlockBuilder:
    """`found` are the blocks that no later line changes. `whole`: as of OpenBlock. `held` is the
    last block, of which what follows says whether it is a lead; `opens`: it ends in a colon.
    """

    whole: bool
    found: deque[Placed] = field(default_factory=deque)
    open: OpenBlock | None = None
    held: Placed | None = None
    opens: bool = False
    items: list[Item] = field(default_factory=list)
    _header: Extent | None = None

    @property
    def kind(self) -> BlockKind | None:
        """Of the block that is open."""
        return None if self.open is None else self.open.kind

    @property
    def held_kind(self) -> BlockKind | None:
        return None if self.held is None else self.held.block.kind

    @property
    def below_header(self) -> bool:
        return self.held is not None and self.held.block.extent == self._header

    def begin(
        self,
        kind: BlockKind,
        at: int,
        start: int,
        line: str,
        *,
        level: int = 0,
        lead: Extent | None = None,
    ) -> None:
        self.close()
        self.open = OpenBlock(kind, at, [(start, line)], level, lead, len(line), self.whole)

    def extend(self, start: int, line: str) -> None:
        opened = self.open
        assert opened is not None
        if opened.size + len(line) > _MOST_CHARS:
            self.begin(opened.kind, start, start, line, level=opened.level, lead=opened.lead)
        else:
            opened.lines.append((start, line))
            opened.size += len(line) + 1

    def close(self) -> None:
        """What is open is as it stands."""
        opened, self.open = self.open, None
        if opened is None:
            return
        for (at, found), opens in opened.blocks():
            block = found
            if found.kind is BlockKind.ITEM and self.items:
                self.items[-1] = self.items[-1]._replace(extent=found.extent)
            if found.kind is BlockKind.CODE is not opened.kind and self.held:
                above = self.held.block
                introduced = self.opens or above.kind is BlockKind.ITEM
                block = found._replace(lead=above.extent if introduced else None)
            self.release(following=block.kind)
            self.held, self.opens = Placed(at, block), opens

    def release(self, following: BlockKind | None = None) -> None:
        """The block held is done: it is a lead if it introduces what follows."""
        if self.held is None:
            return
        at, block = self.held
        if self.opens and following in _INTRODUCED and block.kind is BlockKind.PARAGRAPH:
            block = block._replace(kind=BlockKind.LEAD)
        self.found.append(Placed(at, block))
        self.held = None

    def introduction(self) -> Extent | None:
        """The block before, where it ends in a colon, or the item that this stands in."""
        self.close()
        if self.held and self.opens and self.held.block.kind is not BlockKind.HEADING:
            return self.held.block.extent
        return self.items[-1].extent if self.items else None

    def leave_items(self, indent: int) -> None:
        """Of the items that are open, those stay in which a line that is set in so far lies."""
        while self.items and self.items[-1].indent >= indent:
            self.items.pop()

    def row(self, start: int, line: str, *, after_blank: bool) -> None:
        """A line of a table: its first one is the header of the others."""
        opened, goes_on = self.open, not after_blank and self.held is not None
        self.close()
        if not (goes_on and self.held_kind is BlockKind.ROW):
            self._header = None
        caption = None if after_blank or opened is None else opened
        if caption and caption.kind is BlockKind.PARAGRAPH and len(caption.lines) == 1:
            self.opens = True  # what stands right above a table says what it shows
        lead = self.introduction() if self._header is None else self._header
        self.begin(BlockKind.ROW, start, start, line, level=len(self.items), lead=lead)
        self.close()
        if self._header is None and self.held is not None:
            self._header = self.held.block.extent

    def end(self) -> None:
        """The text or page ends here."""
        self.close()
        self.release()
        self._header = None
        self.items.clear()
