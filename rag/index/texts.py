"""Reading a document's text back from its blocks, character for character."""

from __future__ import annotations

import sqlite3

from rag.index.codec import BLOCK_CHARACTERS, block_row, decode_block


class Texts:
    """Stretches of documents' texts; keeps the block read last, as neighbours are near."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._kept: dict[int, str] = {}

    def span(self, document_id: int, start: int, end: int) -> str:
        """`document.text[start:end]`."""
        first = start - start % BLOCK_CHARACTERS
        blocks = [
            self._block(block_row(document_id, block_start))
            for block_start in range(first, max(end, first + 1), BLOCK_CHARACTERS)
        ]
        return "".join(blocks)[start - first : end - first]

    def whole(self, document_id: int) -> str:
        rows = self._connection.execute(
            "SELECT data FROM blocks WHERE id >= ? AND id < ? ORDER BY id",
            (block_row(document_id, 0), block_row(document_id + 1, 0)),
        )
        return "".join(decode_block(row[0]) for row in rows)

    def _block(self, row: int) -> str:
        if row not in self._kept:
            found = self._connection.execute(
                "SELECT data FROM blocks WHERE id = ?", (row,)
            ).fetchone()
            if len(self._kept) >= 4:
                self._kept.pop(next(iter(self._kept)))
            self._kept[row] = "" if found is None else decode_block(found[0])
        return self._kept[row]
