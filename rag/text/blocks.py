"""A text to its blocks, whatever its format: the one place to ask what stands where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rag.text.plain import scan_plain
from state.blocks import Block, BlockKind, Placed

MOST_PARSED = 1 << 21
"""A longer document, in characters, is read line by line, whatever its format."""


def blocks_of_text(text: str, document_format: str = "text", base: int = 0) -> list[Block]:
    """The blocks of a text that begins at `base` of its document, in order, none overlapping.

    `document_format` as a reader names it; "markdown" is parsed, all else is read by lines.
    """
    placed: list[Placed] | None = None
    if document_format == "markdown" and len(text) <= MOST_PARSED:
        from rag.text.markdown_blocks import markdown_blocks

        placed = markdown_blocks(text)
    if placed is None:
        placed = scan_plain(text, document_format)
    return shifted((each.block for each in placed), base)


def shifted(blocks: Iterable[Block], by: int) -> list[Block]:
    """The blocks of a text that begins `by` characters later."""
    if not by:
        return list(blocks)
    return [
        block._replace(
            start_char=block.start_char + by,
            end_char=block.end_char + by,
            lead=block.lead and (block.lead[0] + by, block.lead[1] + by),
        )
        for block in blocks
    ]


def moved(placed: Sequence[Placed], by: int) -> list[Placed]:
    """As `shifted`, with where each is placed."""
    blocks = shifted((each.block for each in placed), by)
    return [Placed(each.at + by, block) for each, block in zip(placed, blocks, strict=True)]


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
