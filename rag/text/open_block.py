"""A block of a text, from its first line until it is finished."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

from rag.text.line_marks import GLANCE
from rag.text.wrapping import FIELD, Line, runs
from state.blocks import Block, BlockKind, Extent, Placed

_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.NOTE})
_ALERT = re.compile(r"\[!\w+\][+-]?[ \t]*(?:\n[ \t>]*)?")
_CODE_SPAN = re.compile(r"(`+)([^`\n]+)\1")
_WRAPPED = re.compile(r"<([A-Za-z]\w{0,20})(?:\s[^<>]{0,500})?>([^<]*)</\1>")
"""A tag around the whole of a paragraph: its name, and what is in it."""


@dataclass(slots=True)
class OpenBlock:
    """A block whose lines are still being read. `whole`: its lines are wrapped, none was broken on
    purpose, and what Markdown puts around a paragraph is no part of it.
    """

    kind: BlockKind
    at: int
    lines: list[Line]
    level: int = 0
    lead: Extent | None = None
    size: int = 0
    whole: bool = False

    def blocks(self) -> Iterator[tuple[Placed, bool]]:
        """What it becomes: a block, or several where its lines were broken on purpose; and of
        each, whether it ends in a colon.
        """
        first, (last, text) = self.lines[0], self.lines[-1]
        broken = self.kind in _PROSE and not self.whole and len(self.lines) > 1
        extents = list(runs(self.lines)) if broken else [(first[0], last + len(text))]
        kind = self.kind
        if broken and kind is BlockKind.PARAGRAPH and self._are_fields():
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
                if self.whole and own in _PROSE:
                    shown = text.strip(" \t\n>" if own is BlockKind.NOTE else None)
                    block = _unwrapped(block, shown)
                if block.start_char < block.end_char:
                    yield Placed(extent[0] if index else self.at, block), ends_open(text)

    def _text(self, extent: Extent) -> str:
        first = max(bisect_right(self.lines, extent[0], key=itemgetter(0)) - 1, 0)
        end = bisect_left(self.lines, extent[1], key=itemgetter(0))
        return "\n".join(
            line[max(extent[0] - start, 0) : extent[1] - start]
            for start, line in self.lines[first:end]
            if extent[0] <= start + len(line)
        )

    def _are_fields(self) -> bool:
        return all(FIELD.match(text[:GLANCE]) for _, text in self.lines)


def ends_open(text: str) -> bool:
    return text.rstrip().rstrip(" *_").endswith((":", "\uff1a"))


def _unwrapped(block: Block, text: str) -> Block:
    """A paragraph of Markdown without an alert's name or a tag around it; a code span alone is
    code. `text` is what it says.
    """
    start = block.start_char
    if block.kind is BlockKind.NOTE and (alert := _ALERT.match(text)):
        return block._replace(start_char=start + alert.end())
    if block.kind is BlockKind.ITEM:
        return block
    if wrapped := _WRAPPED.fullmatch(text):
        inner = wrapped[2].strip()
        first = text.index(inner, wrapped.start(2)) if inner else 0
        if inner and re.fullmatch("h[1-6]", wrapped[1]):
            block = block._replace(kind=BlockKind.HEADING, level=int(wrapped[1][1]))
        end = start + first + len(inner) if inner else block.end_char
        return block._replace(start_char=start + first, end_char=end)
    span = _CODE_SPAN.fullmatch(text) if block.kind is BlockKind.PARAGRAPH else None
    if span is None:
        return block
    return block._replace(
        kind=BlockKind.CODE, start_char=start + span.start(2), end_char=start + span.end(2)
    )
