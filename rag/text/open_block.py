"""A block of a text without a grammar, from its first line until it is finished."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rag.text.line_marks import GLANCE, HEADER
from rag.text.wrapping import FIELD, Line, runs
from state.blocks import Block, BlockKind, Extent, Placed

LONG_FIELD = 200
"""A field that is longer is read as prose."""

_ENDS_OPEN = (":", "\uff1a")


@dataclass(slots=True)
class OpenBlock:
    """A block whose lines are still being read."""

    kind: BlockKind
    at: int
    lines: list[Line]
    level: int = 0
    lead: Extent | None = None
    size: int = 0

    def blocks(self, document_format: str) -> Iterator[tuple[Placed, bool]]:
        """What it becomes: a block, or several where its lines were broken on purpose; and of
        each, whether it ends in a colon.
        """
        prose = self.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.NOTE)
        first, (last, text) = self.lines[0], self.lines[-1]
        extents = list(runs(self.lines)) if prose else [(first[0], last + len(text))]
        kind = self.kind
        if kind is BlockKind.PARAGRAPH and self._are_fields(document_format):
            kind = BlockKind.METADATA
        for index, extent in enumerate(extents):
            own = kind
            long = kind is BlockKind.METADATA and extent[1] - extent[0] > LONG_FIELD
            if long or (index and kind is BlockKind.ITEM):
                own = BlockKind.PARAGRAPH
            text = self._text(extent)
            start, end = extent
            end -= len(text) - len(text.rstrip())
            if own is not BlockKind.CODE:
                start += len(text) - len(text.lstrip())
            if start < end:
                block = Block(own, start, end, self.level, self.lead)
                at = extent[0] if index else self.at
                yield Placed(at, block), text.rstrip(" *_").endswith(_ENDS_OPEN)

    def _text(self, extent: Extent) -> str:
        return "\n".join(
            line[max(extent[0] - start, 0) : extent[1] - start]
            for start, line in self.lines
            if extent[0] <= start + len(line) and start < extent[1]
        )

    def _are_fields(self, document_format: str) -> bool:
        if document_format in ("email", "msg") and HEADER.match(self.lines[0][1]):
            return True
        return len(self.lines) > 1 and all(FIELD.match(text[:GLANCE]) for _, text in self.lines)
