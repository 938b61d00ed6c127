"""What a document's text is made of: blocks, each of one kind, with exact offsets."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

Extent = tuple[int, int]
"""Half-open `(start, end)` in characters of a document's text."""


class BlockKind(StrEnum):
    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    CODE = "code"
    ROW = "row"
    METADATA = "metadata"
    """A field of front matter, of a field list, of a mail's header."""
    NOTE = "note"
    """A paragraph of a quotation or an admonition."""


PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.NOTE})
"""What is read in sentences."""


class Block(NamedTuple):
    """A stretch of a document's text that is read as one: `text[start_char:end_char]`. In JSON,
    as in the graph's state, it is an array.

    Offsets are absolute; outer whitespace is not in it, except the indentation of the first
    line of code. Marks that only set a block apart (a heading's `#`, a fence) are in no block;
    an item has its bullet or number.

    Attributes:
        level: of a heading, from 1; otherwise how many lists it stands in.
        lead: what introduces it: the line before a list or code, the item that code or a
            list within it belongs to, the header of a table's row.
    """

    kind: BlockKind
    start_char: int
    end_char: int
    level: int = 0
    lead: Extent | None = None

    @property
    def extent(self) -> Extent:
        return self.start_char, self.end_char
