"""The path of headings that a chunk stands under."""

from __future__ import annotations

from collections.abc import Sequence

from state.blocks import Block, BlockKind

_PATH_CHARS = 300
_TITLE_CHARS = 120


class HeadingPath:
    """The headings above, outermost first, while the chunks of a document go by."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []

    def above(self, blocks: Sequence[Block], text: str, base: int) -> str:
        """The path at the first body text of the next chunk, whose blocks these are; then its own
        headings are taken in. `text` begins at the document's offset `base`.
        """
        path: str | None = None
        for block in blocks:
            if block.kind is not BlockKind.HEADING:
                path = self._joined() if path is None else path
                continue
            title = " ".join(text[block.start_char - base : block.end_char - base].split())
            while self._path and self._path[-1][0] >= block.level:
                self._path.pop()
            self._path.append((block.level, title[:_TITLE_CHARS]))
        return self._joined() if path is None else path

    def _joined(self) -> str:
        path = " > ".join(title for _, title in self._path)
        return path if len(path) <= _PATH_CHARS else path[: _PATH_CHARS - 1] + "…"
