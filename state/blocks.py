"""The blocks of a document's text, each of one kind and with exact offsets."""

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
    """A field of front matter."""
    FIELD = "field"
    """A line that gives a name a value, of a record such as a mail's header or a question and its
    answer. Those that no blank line parts belong together."""
    NOTE = "note"
    """A paragraph of a quotation or an admonition."""


PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.NOTE})
"""The kinds of block that consist of sentences."""
WHOLE = -1
"""The level of code that is never cut: an object of JSON, a mapping of YAML."""


class Block(NamedTuple):
    """One block of a document's text: `text[start_char:end_char]`. In JSON, and so in the graph's
    state, it is an array.

    Offsets are absolute and exclude outer whitespace, except the indentation of the first line of
    code. Marks that only set a block apart (a heading's `#`, a fence) belong to no block; an item
    includes its bullet or number.

    Attributes:
        level: of a heading its level, from 1; of any other block the number of lists around it; in
            a file of code 0 where something begins, a definition for one, 1 where it goes on.
        lead: what introduces the block: the line before a list or code, the item that code or a
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

    def moved(self, by: int) -> Block:
        """The block of the same text that stands `by` characters further on."""
        lead = None if self.lead is None else (self.lead[0] + by, self.lead[1] + by)
        return Block(self.kind, self.start_char + by, self.end_char + by, self.level, lead)
