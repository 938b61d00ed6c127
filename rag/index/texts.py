"""Reading a document's text back from its blocks, character for character."""

from __future__ import annotations

import sqlite3

from rag.index.codec import BLOCK_CHARACTERS, decode_block


class Texts:
    """Stretches of documents' texts; keeps the block read last, as neighbours are near."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._kept: dict[tuple[int, int], str] = {}

    def span(self, document_id: int, start: int, end: int) -> str:
        """`document.text[start:end]`."""
        first = start - start % BLOCK_CHARACTERS
        blocks = [
            self._block(document_id, block_start)
            for block_start in range(first, max(end, first + 1), BLOCK_CHARACTERS)
        ]
        return "".join(blocks)[start - first : end - first]

    def whole(self, document_id: int) -> str:
        rows = self._connection.execute(
            "SELECT data FROM blocks WHERE document_id = ? ORDER BY start_char", (document_id,)
        )
        return "".join(decode_block(row[0]) for row in rows)

    def _block(self, document_id: int, start: int) -> str:
        if (document_id, start) not in self._kept:
            row = self._connection.execute(
                "SELECT data FROM blocks WHERE document_id = ? AND start_char = ?",
                (document_id, start),
            ).fetchone()
            if len(self._kept) >= 4:
                self._kept.pop(next(iter(self._kept)))
            self._kept[document_id, start] = "" if row is None else decode_block(row[0])
        return self._kept[document_id, start]
