"""What a shown stretch is part of: the list, table, record or block around it, also where that goes
on in the chunks beside its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    """Consecutive blocks `shown` of a document, with those `before` and `after` them that belong to
    the same list, table, record, or block that was cut; the nearest come first. `level` is the
    shown list's, None where there is none.
    """

    shown: Sequence[Block]
    before: Sequence[Block]
    after: Sequence[Block]
    level: int | None

    @classmethod
    def of(cls, chunk: RetrievedChunk, units: Sequence[Unit], reader: CollectionReader) -> Whole:
        """The whole of a stretch's units; of a page of the web as far as its passage goes."""
        places = slice(units[0].place, units[-1].place + 1)
        shown = [Block(*each) for each in chunk["blocks"][places]]
        near = [chunk]
        if not is_web(chunk):
            near = reader.around(chunk["chunk_id"], _CHUNKS_AROUND, _CHUNKS_AROUND) or near
        blocks = [Block(*block) for each in near for block in each["blocks"]]
        first, last = shown[0], shown[-1]
        level = min((each.level for each in shown if each.kind is BlockKind.ITEM), default=None)
        ahead = [each for each in reversed(blocks) if each.end_char <= first.start_char]
        behind = [each for each in blocks if each.start_char >= last.end_char]
        return cls(shown, _run(ahead, first, level), _run(behind, last, level), level)

    @property
    def block_extent(self) -> Extent:
        """Where the shown blocks stand; of code and paragraphs at their ends all of it."""
        before = [each for each in self.before if self._is_cut(self.shown[0])]
        after = [each for each in self.after if self._is_cut(self.shown[-1])]
        return [*self.shown[:1], *before][-1].start_char, [*self.shown[-1:], *after][-1].end_char

    def _is_cut(self, block: Block) -> bool:
        return block.kind in _CUT_BLOCKS and not _is_of_list(block, self.level)

    def text(self, chunk: RetrievedChunk, reader: CollectionReader) -> str:
        """The text of the shown blocks, whole."""
        return _text(chunk, *self.block_extent, reader)

    def full_text(self, chunk: RetrievedChunk, lead: str, reader: CollectionReader) -> str:
        """The whole text below its `lead`, with "…" where a list, table or record goes on beyond
        _MOST_AROUND characters.
        """
        start, end = self.block_extent
        before = [each for each in self.before if start - each.start_char <= _MOST_AROUND]
        after = [each for each in self.after if each.end_char - end <= _MOST_AROUND]
        first = [*self.shown[:1], *before][-1]
        own = self.shown[0].lead
        if before and own is not None and own[0] >= first.start_char:
            above = first.lead
            lead = _text(chunk, *above, reader) if above is not None else ""
        start = min(start, first.start_char)
        end = max(end, [*self.shown[-1:], *after][-1].end_char)
        lines = [lead] if lead else []
        lines += ["…"] * (len(before) < len(self.before))
        lines += [_text(chunk, start, end, reader)]
        return "\n".join([*lines, *["…"] * (len(after) < len(self.after))])

    def goes_on(self, lead: Extent | None) -> tuple[bool, bool]:
        """Whether a list, a table, a record or code goes on before and after what is shown; its
        `lead` is shown too. A line of a paragraph whose lines were broken on purpose is whole.
        """
        hidden = [each for each in self.before if each.extent != lead]
        return self._counts(self.shown[0], hidden), self._counts(self.shown[-1], self.after)

    def _counts(self, end: Block, hidden: Sequence[Block]) -> bool:
        is_line = end.kind is BlockKind.PARAGRAPH and not _is_of_list(end, self.level)
        return bool(hidden) and not is_line


def _run(blocks: Iterable[Block], beside: Block, level: int | None) -> list[Block]:
    """The first of the blocks, as far as each belongs to the one before, the first to `beside`."""
    found: list[Block] = []
    for block in blocks:
        if not _belongs(block, found[-1] if found else beside, level):
            break
        found.append(block)
    return found


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


def _text(chunk: RetrievedChunk, start: int, end: int, reader: CollectionReader) -> str:
    if chunk["start_char"] <= start and end <= chunk["end_char"]:
        return text_between(chunk, start, end)
    return reader.document_text(chunk["source"], start, end) or ""
