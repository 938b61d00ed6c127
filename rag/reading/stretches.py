"""Splits chunks into stretches: consecutive sentences, lines of code or rows, short enough to be
shown as an answer. One begins at each sentence, line or row and reaches as far as it may.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rag.text.sentences import block_sentences
from state.blocks import PROSE, WHOLE, Block, BlockKind
from state.documents import QUOTED_BY
from state.passages import RetrievedChunk, text_between

LONGEST = 300
"""The most characters of a stretch, unless its one sentence, line or row is longer."""
MOST_OF_A_CHUNK = 80
SHORT = 150
"""A paragraph, an item or a line of a log of so many characters is not cut into sentences."""
_NAME = 80


class Unit(NamedTuple):
    """What is never cut: a sentence, a line of code, a short object, a row or a field; a row and a
    field of front matter are a stretch `alone`. `place` is the index of its block in the chunk.
    """

    start: int
    end: int
    place: int
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive units of a `section`, which are all under one heading; `above` are the headings
    above them in the chunk.
    """

    chunk: RetrievedChunk
    above: Sequence[Block]
    section: Sequence[Unit]
    units: Sequence[Unit]

    @property
    def heading(self) -> str:
        """The headings above, which may stand before the chunk."""
        if not self.above:
            return self.chunk["heading"]
        return " > ".join(text_between(self.chunk, *each.extent) for each in self.above)

    @property
    def start(self) -> int:
        return self.units[0].start

    @property
    def end(self) -> int:
        return self.units[-1].end

    @property
    def text(self) -> str:
        return text_between(self.chunk, self.start, self.end)

    @property
    def kind(self) -> BlockKind:
        """The kind of the block that it begins in."""
        return BlockKind(self.chunk["blocks"][self.units[0].place].kind)

    @property
    def is_quotation(self) -> bool:
        """Whether it stands in what a mail quotes at its end."""
        return (self.chunk["anchor"] or "").startswith(QUOTED_BY)

    @property
    def begins_section(self) -> bool:
        """Whether no other unit stands between it and its heading."""
        return self.section[0] == self.units[0]

    @property
    def has_code(self) -> bool:
        blocks = self.chunk["blocks"]
        return any(blocks[unit.place].kind is BlockKind.CODE for unit in self.units)

    def overlaps(self, other: Stretch) -> bool:
        same = self.chunk["source"] == other.chunk["source"]
        return same and self.start < other.end and other.start < self.end


def stretches_of(chunk: RetrievedChunk, longest: int = LONGEST) -> list[Stretch]:
    """The stretches of a chunk, in their order; none lies within another."""
    found: list[Stretch] = []
    for above, units in _sections(chunk):
        reached = 0
        for first in range(len(units)):
            last = reach(units, first, longest)
            if last >= reached:
                reached = last + 1
                found.append(Stretch(chunk, above, units, units[first : last + 1]))
            if len(found) == MOST_OF_A_CHUNK:
                return found
    return found


def reach(units: Sequence[Unit], first: int, longest: int) -> int:
    """The index of the last unit that a stretch from `first` takes in."""
    last = first
    if units[first].alone:
        return first
    while (
        last + 1 < len(units)
        and not units[last + 1].alone
        and units[last + 1].end - units[first].start <= longest
    ):
        last += 1
    return last


def _sections(chunk: RetrievedChunk) -> Iterator[tuple[list[Block], list[Unit]]]:
    """The units below each heading of the chunk, with the headings above them in it; those of a
    record and of a definition by themselves.
    """
    above, units = list[Block](), list[Unit]()
    heads = {block.lead for block in chunk["blocks"] if block.kind is BlockKind.ROW}
    before: Block | None = None
    for place, block in enumerate(chunk["blocks"]):
        if not _one_record(before, block) or _begins(chunk, before, block):
            named = units[-1:] if block.kind is BlockKind.FIELD and _names(chunk, before) else []
            yield above, units[: len(units) - len(named)]
            units = named
        before = block
        if block.kind is BlockKind.HEADING:
            yield above, units
            above = [*(each for each in above if each.level < block.level), block]
            units = []
        elif block.extent not in heads:
            alone = block.kind in (BlockKind.ROW, BlockKind.METADATA)
            units += [Unit(*extent, place, alone) for extent in _extents(chunk, block)]
    yield above, units


def _one_record(one: Block | None, following: Block) -> bool:
    """Whether both are fields of one record, or neither is a field."""
    fields = [each is not None and each.kind is BlockKind.FIELD for each in (one, following)]
    together = one is not None and following.start_char - one.end_char <= 1
    return together if all(fields) else not any(fields)


def _begins(chunk: RetrievedChunk, one: Block | None, following: Block) -> bool:
    """Whether a file of code, where nothing stands between its blocks, begins something."""
    if one is None or not one.kind is following.kind is BlockKind.CODE or following.level:
        return False
    return not text_between(chunk, one.end_char, following.start_char).strip()


def _names(chunk: RetrievedChunk, block: Block | None) -> bool:
    """Whether the block is a line that says what is below it, as "INVOICE 2025-118"."""
    if block is None or block.kind is not BlockKind.PARAGRAPH:
        return False
    said = text_between(chunk, *block.extent)
    return len(said) <= _NAME and "\n" not in said and not said.endswith((".", "!", "?"))


def _extents(chunk: RetrievedChunk, block: Block) -> Iterator[tuple[int, int]]:
    start = block.start_char
    if block.kind in PROSE and block.end_char - start > SHORT:
        yield from block_sentences(chunk["text"], block, chunk["start_char"])
    elif block.kind is BlockKind.CODE and block.level != WHOLE:
        for line in text_between(chunk, *block.extent).split("\n"):
            if line.strip():
                yield start, start + len(line)
            start += len(line) + 1
    else:
        yield block.extent
