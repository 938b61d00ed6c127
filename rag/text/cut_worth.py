"""How much a cut between two chunks is worth, by what stands before and after it."""

from __future__ import annotations

from state.blocks import Block, BlockKind

# How much a cut is worth before what it fills is added (0 to 1): a heading is worth more than a
# chunk filled to the brim, and a line inside prose less than a sentence.
_HEADING = 1.7
_PARAGRAPH = 0.8
_ITEM = 0.65
_WITHIN_ITEM = 0.55
_ROW = 0.45
NEXT_LINE = 0.4
SENTENCE = 0.35
LINE = 0.2
CUT_BY_LINE = frozenset({BlockKind.CODE, BlockKind.ROW, BlockKind.METADATA})
"""Kinds that may be cut after any of their lines, where they must be."""


def worth_between(before: Block | None, block: Block, *, blank: bool) -> float:
    """Of a cut between two blocks; negative where they belong together."""
    if before is not None and (
        before.kind in (BlockKind.HEADING, BlockKind.LEAD) or block.lead == before.extent
    ):
        return -1.0
    if block.kind is BlockKind.HEADING:
        return _HEADING - 0.1 * (block.level - 1)
    if before is not None and before.kind is block.kind and block.kind in CUT_BY_LINE:
        return _PARAGRAPH if blank and not block.level else _ROW
    if block.kind is BlockKind.ITEM and before is not None and before.level:
        return _ITEM if block.level == 1 else _ROW
    if block.level:
        return _WITHIN_ITEM
    return _PARAGRAPH if blank else NEXT_LINE
