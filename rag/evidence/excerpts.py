"""Chunks cut to excerpts: stretches of whole blocks, short enough to be read as an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from state.blocks import Block, BlockKind
from state.passages import RetrievedChunk, Span, text_between

EXCERPT_CHARACTERS = 1_200
"""Of one excerpt, unless a single block is longer. Of 108 questions on documentation left out of
each fit, three excerpts of 900 hold the answer to 86, of 1,000 and of 1,200 to 90; of 60 on other
documentation 1,000 to 40, 1,200 to 44, longer ones no more."""

SHORT = 200
"""An excerpt of fewer characters, or of fields alone, goes on past the next heading: a date above a
summary, a section of one line. Of the 108 questions three excerpts of 900 hold the answer to 84
without that, to 86 with it."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`text` is the document's `[start_char:end_char]`: the `blocks`, in order, with the marks (a
    fence) that stand around them; `chunk` is the chunk's place among those given, `heading` the
    headings above its first text, innermost last.
    """

    chunk: int
    start_char: int
    end_char: int
    text: str
    heading: str
    blocks: Sequence[Block]

    def overlaps(self, other: Excerpt) -> bool:
        return (
            self.chunk == other.chunk
            and self.start_char < other.end_char
            and other.start_char < self.end_char
        )

    def holds_kind(self, kind: BlockKind) -> bool:
        return any(block.kind is kind for block in self.blocks)


def excerpts_of(
    chunks: Sequence[RetrievedChunk], longest: int = EXCERPT_CHARACTERS
) -> list[Excerpt]:
    """Every excerpt that begins with a block, or with the heading right above it, and reaches as
    far as it may: to the next heading, or past it while it is short. None lies in another.
    """
    return [
        excerpt
        for place, chunk in enumerate(chunks)
        for excerpt in _outermost(_from_each_block(place, chunk, longest))
    ]


def _from_each_block(place: int, chunk: RetrievedChunk, longest: int) -> Iterator[Excerpt]:
    blocks = chunk["blocks"]
    heading = chunk["heading"]
    path: list[Block] = []
    for first, block in enumerate(blocks):
        if block.kind is BlockKind.HEADING:
            path = [*(each for each in path if each.level < block.level), block]
            heading = " > ".join(text_between(chunk, *each.extent) for each in path)
            continue
        start = block.start_char
        above = blocks[first - 1] if first else block
        if block.lead is not None and chunk["start_char"] <= block.lead[0] < start:
            start = block.lead[0] if block.end_char - block.lead[0] <= longest else start
        if above.kind is BlockKind.HEADING and block.end_char - above.start_char <= longest:
            start = min(start, above.start_char)
        inside = [b for b in _reaching(blocks, first, start, longest) if b.start_char >= start]
        start, end = with_marks(chunk, blocks, inside)
        yield Excerpt(place, start, end, text_between(chunk, start, end), heading, inside)


def _reaching(blocks: Sequence[Block], first: int, start: int, longest: int) -> Sequence[Block]:
    """The blocks up to the last that an excerpt from `start` takes in; `first` is one of them."""
    last = end = first
    while end + 1 < len(blocks) and blocks[end + 1].end_char - start <= longest:
        if blocks[end + 1].kind is not BlockKind.HEADING:
            last = end + 1
        elif blocks[end].end_char - start >= SHORT and blocks[end].kind is not BlockKind.METADATA:
            break
        end += 1
    return blocks[: last + 1]


def introduced_by(heading: str, lead: str) -> str | None:
    """What stands above an excerpt that it does not hold: its heading, and the line that its first
    block goes with; either may be empty.
    """
    if not heading:
        return lead or None
    return f"{heading}\n\n{lead}" if lead else f"{heading}\n"


def with_marks(
    chunk: RetrievedChunk | Span, blocks: Sequence[Block], inside: Sequence[Block]
) -> tuple[int, int]:
    """The extent of the blocks and of the lines right around code that are in no block; `blocks`
    are all of the chunk, or of a longer excerpt.
    """
    start, end = inside[0].start_char, inside[-1].end_char
    if inside[0].kind is BlockKind.CODE:
        above = chunk["text"].rfind("\n", 0, max(start - chunk["start_char"] - 1, 0)) + 1
        line = chunk["start_char"] + above
        taken = any(block.start_char < start and block.end_char > line for block in blocks)
        if not taken and text_between(chunk, line, start).strip():
            start = line
    if inside[-1].kind is BlockKind.CODE:
        below = chunk["text"].find("\n", end + 1 - chunk["start_char"])
        line = chunk["end_char"] if below < 0 else chunk["start_char"] + below
        taken = any(block.start_char < line and block.end_char > end for block in blocks)
        if not taken and text_between(chunk, end, line).strip():
            end = line
    return start, end


def _outermost(excerpts: Iterator[Excerpt]) -> Iterator[Excerpt]:
    """In order of their starts; one that lies within an earlier one is left out."""
    reached = -1
    for excerpt in excerpts:
        if excerpt.end_char > reached:
            reached = excerpt.end_char
            yield excerpt
