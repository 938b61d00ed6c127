"""The blocks that a reader found on the lines of a text, with their offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from state.blocks import Block, BlockKind, Placed


@dataclass(slots=True)
class LineBlock:
    """A block by its first and last line; `lead` is the number of the one that introduces it,
    `above` how many lines before the first go with it, such as a fence.
    """

    kind: BlockKind
    first: int
    last: int
    level: int = 0
    lead: int | None = None
    above: int = 0


def add_rows(found: list[LineBlock], places: Sequence[int], level: int, lead: int | None) -> None:
    """The rows of a table, each on its line: the first introduces the others."""
    header = lead
    for place in places:
        found.append(LineBlock(BlockKind.ROW, place, place, level, header))
        if header is lead:
            header = len(found) - 1


def placed_blocks(lines: Sequence[str], line_blocks: Sequence[LineBlock]) -> list[Placed]:
    """The blocks of the text that `lines` are, in order."""
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    placed: dict[int, Placed] = {}
    end = 0
    for index, found in sorted(enumerate(line_blocks), key=lambda each: each[1].first):
        start = starts[found.first]
        line = lines[found.first]
        column = 0 if found.kind is BlockKind.CODE else len(line) - len(line.lstrip())
        if found.kind is BlockKind.HEADING:
            column = line.find(" ") + 1
        stop = starts[found.last] + len(lines[found.last].rstrip())
        if start < end or start + column >= stop:
            continue
        lead = None if found.lead is None else placed.get(found.lead)
        block = Block(found.kind, start + column, stop, found.level, lead and lead.block.extent)
        placed[index] = Placed(starts[found.first - found.above], block)
        end = stop
    return list(placed.values())
