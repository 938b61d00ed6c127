"""A text to its blocks, whatever its format: the one place to ask what stands where."""

from __future__ import annotations

from collections.abc import Iterable

from rag.text.block_parser import BlockParser
from state.blocks import Block, BlockKind


def blocks_of_text(text: str, document_format: str = "text", base: int = 0) -> list[Block]:
    """The blocks of a text that begins at `base` of its document, in order, none overlapping.

    `document_format` as a reader names it.
    """
    parser = BlockParser(document_format)
    parser.feed(text, 0, 0, final=True)
    parser.end(len(text))
    return [
        block._replace(
            start_char=block.start_char + base,
            end_char=block.end_char + base,
            lead=block.lead and (block.lead[0] + base, block.lead[1] + base),
        )
        for _, block in parser.found
    ]


def clipped(blocks: Iterable[Block], text: str, start: int) -> tuple[Block, ...]:
    """What of the blocks lies in `text`, which begins at `start` of their document."""
    inside: list[Block] = []
    end = start + len(text)
    for block in blocks:
        if block.start_char >= start and block.end_char <= end:
            inside.append(block)
            continue
        first, last = max(block.start_char, start), min(block.end_char, end)
        while first < last and text[last - 1 - start].isspace():
            last -= 1
        found = first
        while found < last and text[found - start].isspace():
            found += 1
        if block.kind is BlockKind.CODE and found < last:
            found = max(text.rfind("\n", first - start, found - start) + 1 + start, first)
        if found < last:
            inside.append(block._replace(start_char=found, end_char=last))
    return tuple(inside)
