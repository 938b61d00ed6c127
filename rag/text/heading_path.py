"""The path of headings that a chunk stands under; within a table, its caption and header last."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from state.blocks import Block, BlockKind, Extent

_PATH_CHARS = 300
_TITLE_CHARS = 120


class HeadingPath:
    """The headings above, outermost first, while the chunks of a document go by. `first` is the one
    that the last chunk begins with or else stands under.
    """

    def __init__(self) -> None:
        self.first = ""
        self._path: list[tuple[int, str]] = []
        self._header: Extent | None = None
        self._table = ""

    def above(self, blocks: Sequence[Block], text: str, base: int) -> str:
        """The path at the first body text of the next chunk, whose blocks these are; then its own
        headings are taken in. `text` begins at the document's offset `base`.
        """
        path: str | None = self._within_table(blocks)
        self.first = self._path[-1][1] if self._path else ""
        for before, block in pairwise([None, *blocks]):
            assert block is not None
            if block.kind is BlockKind.ROW and block.lead is not None:
                self._note_header(before, block, text, base)
            if block.kind is not BlockKind.HEADING:
                path = self._joined() if path is None else path
                continue
            title = " ".join(text[block.start_char - base : block.end_char - base].split())
            while self._path and self._path[-1][0] >= block.level:
                self._path.pop()
            self._path.append((block.level, _shortened(title, _TITLE_CHARS)))
            if path is None:
                self.first = self._path[-1][1]
        return self._joined() if path is None else path

    def _within_table(self, blocks: Sequence[Block]) -> str | None:
        """Where the chunk goes on with a table whose header stands in an earlier one."""
        first = blocks[0] if blocks else None
        inside = first is not None and first.kind is BlockKind.ROW and first.lead == self._header
        return self._joined(self._table) if inside and self._header is not None else None

    def _note_header(self, before: Block | None, row: Block, text: str, base: int) -> None:
        lead = row.lead
        if before is None or lead == self._header or before.extent != lead:
            return
        caption = "" if before.lead is None else _said(text, before.lead, base)
        header = _said(text, lead, base)
        self._header, self._table = lead, " > ".join(filter(None, (caption, header)))

    def _joined(self, table: str = "") -> str:
        path = " > ".join([*(title for _, title in self._path), *([table] if table else [])])
        return _shortened(path, _PATH_CHARS)


def _shortened(text: str, most: int) -> str:
    """With a sign where it is cut, so that what is shown of it is no heading that stands there."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _said(text: str, extent: Extent, base: int) -> str:
    """What stands there, where the text reaches so far back."""
    start, end = extent[0] - base, extent[1] - base
    return " ".join(text[start:end].split())[:_TITLE_CHARS] if start >= 0 else ""
