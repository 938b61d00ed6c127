"""A chunk's blocks as a few bytes each, for the catalog and between processes.

Per block: its kind, then numbers of seven bits a byte: characters since the end of the one
before, its length, its level, and 0 or the length of its lead plus one; then, where it has one,
how far its lead begins before the block.
"""

from __future__ import annotations

from collections.abc import Iterable

from state.blocks import Block, BlockKind

_KINDS = tuple(BlockKind)
_NUMBERS = {kind: number for number, kind in enumerate(_KINDS)}


def encode_blocks(blocks: Iterable[Block], base: int) -> bytes:
    """`base` is the start of their chunk; blocks in order, leads before what they introduce."""
    data = bytearray()
    position = base
    for block in blocks:
        data.append(_NUMBERS[block.kind])
        start, end = block.extent
        lead = block.lead
        for number in (start - position, end - start, block.level):
            _put(data, number)
        _put(data, 0 if lead is None else lead[1] - lead[0] + 1)
        if lead is not None:
            _put(data, start - lead[0])
        position = end
    return bytes(data)


def decode_blocks(data: bytes, base: int) -> list[Block]:
    """The inverse of `encode_blocks`.

    Raises:
        ValueError: it is no such data.
    """
    blocks: list[Block] = []
    position, at = base, 0
    try:
        while at < len(data):
            kind = _KINDS[data[at]]
            gap, at = _take(data, at + 1)
            length, at = _take(data, at)
            level, at = _take(data, at)
            leads, at = _take(data, at)
            start = position + gap
            position = start + length
            lead = None
            if leads:
                back, at = _take(data, at)
                lead = start - back, start - back + leads - 1
            if lead is not None and lead[0] < 0:
                raise ValueError("a lead lies outside of its document")
            blocks.append(Block(kind, start, position, level, lead))
    except IndexError:
        raise ValueError("not a list of blocks") from None
    return blocks


def _put(data: bytearray, number: int) -> None:
    while number > 127:
        data.append(number & 127 | 128)
        number >>= 7
    data.append(number)


def _take(data: bytes, at: int) -> tuple[int, int]:
    if data[at] < 128:
        return data[at], at + 1
    number = shift = 0
    while data[at] > 127:
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
    return number | data[at] << shift, at + 1
