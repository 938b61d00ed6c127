"""A chunk's blocks as a stored list, a line of numbers each.

Of a block: its kind, characters since the end of the one before, its length and its level; then,
where it has a lead, how far before the block that begins, and its length.
"""

from __future__ import annotations

from collections.abc import Iterable

from state.blocks import Block, BlockKind

_KINDS = tuple(BlockKind)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}


def encode_blocks(blocks: Iterable[Block], base: int) -> bytes:
    """`base` is the start of their chunk; blocks in order, leads before what they introduce."""
    lines = []
    position = base
    for kind, start, end, level, lead in blocks:
        numbers = [_NUMBERS[kind], start - position, end - start, level]
        if lead is not None:
            numbers += start - lead[0], lead[1] - lead[0]
        lines.append(" ".join(map(str, numbers)))
        position = end
    return "\n".join(lines).encode()


def decode_blocks(data: bytes, base: int) -> list[Block]:
    """The inverse of `encode_blocks`.

    Raises:
        ValueError: it is no such data.
    """
    blocks: list[Block] = []
    position = base
    for line in data.splitlines():
        numbers = list(map(int, line.split()))
        kind, gap, length, level, *lead = numbers
        start = position + gap
        position = start + length
        back, size = lead or (0, 0)
        if min(numbers) < 0 or kind >= len(_KINDS) or back > start:
            raise ValueError("not a list of blocks")
        begun = (start - back, start - back + size) if lead else None
        blocks.append(Block(_KINDS[kind], start, position, level, begun))
    return blocks
