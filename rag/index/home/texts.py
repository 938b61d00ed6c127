"""The documents' texts as the catalog keeps them, and what SQLite asks of them to index a chunk."""

from __future__ import annotations

import sqlite3
import zlib

from rag.index.codec import decode_path, inflated
from rag.index.queries import TextDamagedError
from rag.index.terms import indexed_head, indexed_text

_KEPT_CHARACTERS = 8_000_000


class Texts:
    """Keeps the texts read last: a question's rewrites find much of the same. They never change: no
    document's number is given twice.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._kept: dict[int, str] = {}
        self._characters = 0

    def whole(self, document: int) -> str:
        found = self._kept.get(document)
        if found is None:
            found = self._read(document)
            self._characters += len(found)
            while self._kept and self._characters > _KEPT_CHARACTERS:
                self._characters -= len(self._kept.pop(next(iter(self._kept))))
            self._kept[document] = found
        return found

    def _read(self, document: int) -> str:
        rows = self._connection.execute(
            "SELECT text FROM texts WHERE document_id = ?", (document,)
        ).fetchall()
        try:
            return inflated(rows[0][0])
        except (zlib.error, UnicodeDecodeError, TypeError, IndexError):
            pass
        ((source,),) = self._connection.execute(
            "SELECT source FROM documents WHERE id = ?", (document,)
        ).fetchall()
        raise TextDamagedError(decode_path(source))


def let_index(connection: sqlite3.Connection) -> None:
    """Gives a connection the functions of the views `searchable_<id>`."""
    texts = Texts(connection)

    def chunk_terms(document: int, start: int, end: int) -> str:
        try:
            return indexed_text(texts.whole(document)[start:end])
        except TextDamagedError:
            return ""

    connection.create_function("chunk_terms", 3, chunk_terms)
    connection.create_function("head_terms", 2, indexed_head)
