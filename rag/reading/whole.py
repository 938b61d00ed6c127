"""What a shown stretch is part of: the list, table, record or block around it, also where that goes
on in the chunks beside its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.index.reader import CollectionReader
from rag.reading.stretches import Unit
from state.blocks import Block, BlockKind, Extent
from state.passages import RetrievedChunk, is_web, text_between

_CUT_BLOCKS = frozenset({BlockKind.CODE, BlockKind.PARAGRAPH})
"""Blocks of these kinds that at most one character parts are one that was cut into chunks."""
_CHUNKS_AROUND = 8
"""So many chunks before and behind are looked at for one that goes on."""
_BLANK_LINES = 3
_MOST_AROUND = 3000
"""Characters before and behind what is found that are shown of a list, a table or a record."""


@dataclass(frozen=True, slots=True)
class Whole:
    """Consecutive `blocks` of a document, from the `first` to the `last` of which a stretch stands,
    that belong to one list, table, record, or block that was cut. `level` is the list's, None where
    there is none.
    """

    blocks: Sequence[Block]
    first: int
    last: int
    level: int | None

    @classmethod
    def of(cls, chunk: RetrievedChunk, units: Sequence[Unit], reader: CollectionReader) -> Whole:
        """The whole of a stretch's units; of a page of the web as far as its passage goes."""
        around = reader.around(chunk["chunk_id"], _CHUNKS_AROUND, _CHUNKS_AROUND)
        near = [chunk] if is_web(chunk) or not around else around
        blocks = [Block(*block) for each in near for block in each["blocks"]]
        first, last = (blocks.index(Block(*chunk["blocks"][units[end].place])) for end in (0, -1))
        shown = blocks[first : last + 1]
        level = min((each.level for each in shown if each.kind is BlockKind.ITEM), default=None)
        begin, end = first, last + 1
        while begin > 0 and _belongs(blocks[begin - 1], blocks[begin], level):
            begin -= 1
        while end < len(blocks) and _belongs(blocks[end], blocks[end - 1], level):
            end += 1
        return cls(blocks[begin:end], first - begin, last - begin, level)

    @property
    def block_extent(self) -> Extent:
        """Where the stretch's blocks stand; of code and paragraphs at their ends all of it."""
        first = 0 if self._is_cut(self.first) else self.first
        last = -1 if self._is_cut(self.last) else self.last
        return self.blocks[first].start_char, self.blocks[last].end_char

    def _is_cut(self, place: int) -> bool:
        block = self.blocks[place]
        return block.kind in _CUT_BLOCKS and not _is_of_list(block, self.level)

    def text(self, chunk: RetrievedChunk, reader: CollectionReader) -> str:
        """The text of the stretch's blocks, whole."""
        return extent_text(chunk, *self.block_extent, reader)

    def full_text(self, chunk: RetrievedChunk, lead: str, reader: CollectionReader) -> str:
        """The whole text below its `lead`, with "…" where a list, table or record goes on beyond
        _MOST_AROUND characters.
        """
        start, end = self.block_extent
        first, last = start - _MOST_AROUND, end + _MOST_AROUND
        shown = [b for b in self.blocks if first <= b.start_char and b.end_char <= last]
        shown = shown or [*self.blocks]
        own, above = self.blocks[self.first].lead, shown[0].lead
        if own is not None and own[0] >= shown[0].start_char:
            lead = "" if above is None else extent_text(chunk, *above, reader)
        start, end = min(start, shown[0].start_char), max(end, shown[-1].end_char)
        lines = [lead] if lead else []
        lines += ["…"] * (shown[0] != self.blocks[0])
        lines += [extent_text(chunk, start, end, reader)]
        return "\n".join([*lines, *["…"] * (shown[-1] != self.blocks[-1])])

    def goes_on(self, lead: Extent | None) -> tuple[bool, bool]:
        """Whether a list, a table, a record or code goes on before and after what is shown; its
        `lead` is shown too. A line of a paragraph whose lines were broken on purpose is whole.
        """
        before = [each for each in self.blocks[: self.first] if each.extent != lead]
        after = self.blocks[self.last + 1 :]
        return self._counts(self.first, before), self._counts(self.last, after)

    def _counts(self, place: int, hidden: Sequence[Block]) -> bool:
        is_line = self._is_cut(place) and self.blocks[place].kind is BlockKind.PARAGRAPH
        return bool(hidden) and not is_line


def _is_of_list(block: Block, level: int | None) -> bool:
    is_heading = block.kind is BlockKind.HEADING
    return level is not None and not is_heading and block.level >= level


def _belongs(block: Block, beside: Block, level: int | None) -> bool:
    """Whether two blocks, one right beside the other, are of one list of that level, of one table
    or record, or were one block.
    """
    if _is_of_list(beside, level):
        return _is_of_list(block, level)
    if block.kind is not beside.kind:
        return False
    gap = max(block.start_char, beside.start_char) - min(block.end_char, beside.end_char)
    match block.kind:
        case BlockKind.ROW:
            return block.lead == beside.lead
        case BlockKind.CODE:
            parted = block.lead is not None and block.lead == beside.lead  # at a blank line
            return gap <= (_BLANK_LINES if parted else 1)
        case BlockKind.PARAGRAPH | BlockKind.FIELD:
            return gap <= 1
    return False


def extent_text(chunk: RetrievedChunk, start: int, end: int, reader: CollectionReader) -> str:
    """The text of a chunk's document at `[start:end]`, which the chunk itself need not hold."""
    if chunk["start_char"] <= start and end <= chunk["end_char"]:
        return text_between(chunk, start, end)
    return reader.document_text(chunk["source"], start, end) or ""
