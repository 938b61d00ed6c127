"""Reading a document's text back from its blocks, character for character."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator

from rag.index.codec import BLOCK_CHARACTERS, block_row, decode_block, decode_path
from state.errors import DamagedError

_KEPT_BLOCKS = 64


class TextDamagedError(DamagedError):
    """The stored text of a document cannot be read; its file must be."""

    def __init__(self, document_id: int, source: str) -> None:
        super().__init__(
            f"The stored text of {source!r} is damaged.",
            "Run `crag ingest` on its folder again: it reads that file anew.",
        )
        self.document_id = document_id


class Texts:
    """Stretches of documents' texts; keeps the blocks read last, as neighbours are near and a
    question's rewrites find much of the same. A block never changes: no document's id is used
    again.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._kept: dict[int, str] = {}

    def span(self, document_id: int, start: int, end: int) -> str:
        """`document.text[start:end]`."""
        if start >= end:
            return ""
        first = start - start % BLOCK_CHARACTERS
        blocks = [
            self._block(document_id, block_row(document_id, block_start))
            for block_start in range(first, end, BLOCK_CHARACTERS)
        ]
        return "".join(blocks)[start - first : end - first]

    def blocks(self, document_id: int) -> Iterator[str]:
        """The whole text, block by block."""
        rows = self._connection.execute(
            "SELECT data FROM blocks WHERE id >= ? AND id < ? ORDER BY id",
            (block_row(document_id, 0), block_row(document_id + 1, 0)),
        )
        return (self._decoded(document_id, row[0]) for row in rows)

    def _block(self, document_id: int, row: int) -> str:
        if row not in self._kept:
            found = self._connection.execute(
                "SELECT data FROM blocks WHERE id = ?", (row,)
            ).fetchone()
            if len(self._kept) >= _KEPT_BLOCKS:
                self._kept.pop(next(iter(self._kept)))
            self._kept[row] = self._decoded(document_id, None if found is None else found[0])
        return self._kept[row]

    def _decoded(self, document_id: int, data: bytes | None) -> str:
        try:
            if data is not None:
                return decode_block(data)
        except (zlib.error, UnicodeDecodeError, TypeError):
            pass
        (source,) = self._connection.execute(
            "SELECT source FROM documents WHERE id = ?", (document_id,)
        ).fetchone()
        raise TextDamagedError(document_id, decode_path(source))
