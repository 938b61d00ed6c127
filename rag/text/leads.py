"""What introduces a block that begins in mid-text."""

from __future__ import annotations

from state.blocks import BlockKind, Extent, Placed


def ends_open(text: str) -> bool:
    return text.rstrip().rstrip(" *_").endswith((":", "\uff1a"))


def lead_above(text: str, placed: list[Placed], at: int) -> Extent | None:
    """The block right above, an item or ending in a colon, which makes a paragraph a lead."""
    if not placed:
        return None
    above = placed[-1]
    block = above.block
    between = text[block.end_char : at].strip()
    opens = ends_open(text[block.start_char : block.end_char])
    if between or not (opens or block.kind is BlockKind.ITEM):
        return None
    if block.kind is BlockKind.PARAGRAPH:
        placed[-1] = Placed(above.at, block._replace(kind=BlockKind.LEAD))
    return block.extent
