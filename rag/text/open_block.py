"""A block of a text without markup that is parsed, from its first line until it is finished."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

from rag.text.leads import ends_open
from rag.text.line_marks import GLANCE
from rag.text.wrapping import FIELD, Line, runs
from state.blocks import Block, BlockKind, Extent, Placed


@dataclass(slots=True)
class OpenBlock:
    """A block whose lines are still being read."""

    kind: BlockKind
    at: int
    lines: list[Line]
    level: int = 0
    lead: Extent | None = None
    size: int = 0

    def blocks(self) -> Iterator[tuple[Placed, bool]]:
        """What it becomes: a block, or several where its lines were broken on purpose; and of
        each, whether it ends in a colon.
        """
        prose = self.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.NOTE)
        first, (last, text) = self.lines[0], self.lines[-1]
        extents = list(runs(self.lines)) if prose else [(first[0], last + len(text))]
        kind = self.kind
        if kind is BlockKind.PARAGRAPH and self._are_fields():
            kind = BlockKind.METADATA
        for index, extent in enumerate(extents):
            own = BlockKind.PARAGRAPH if index and kind is BlockKind.ITEM else kind
            text = self._text(extent)
            start, end = extent
            end -= len(text) - len(text.rstrip())
            if own is not BlockKind.CODE:
                # Between two quoted paragraphs stands a mark alone.
                marks = " \t\n>" if own is BlockKind.NOTE else None
                start += len(text) - len(text.lstrip(marks))
            if start < end:
                block = Block(own, start, end, self.level, self.lead)
                at = extent[0] if index else self.at
                yield Placed(at, block), ends_open(text)

    def _text(self, extent: Extent) -> str:
        first = max(bisect_right(self.lines, extent[0], key=itemgetter(0)) - 1, 0)
        end = bisect_left(self.lines, extent[1], key=itemgetter(0))
        return "\n".join(
            line[max(extent[0] - start, 0) : extent[1] - start]
            for start, line in self.lines[first:end]
            if extent[0] <= start + len(line)
        )

    def _are_fields(self) -> bool:
        return len(self.lines) > 1 and all(FIELD.match(text[:GLANCE]) for _, text in self.lines)
