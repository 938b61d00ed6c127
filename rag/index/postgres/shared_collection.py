"""Reading a collection of a shared store: the query goes there, the best chunks come back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rag.embed.protocol import Embedder
from rag.index import contents
from rag.index.codec import BLOCK_CHARACTERS, decode_block
from rag.index.collection_rows import check_embedder, deleted, no_text
from rag.index.postgres import shared_collection_rows
from rag.index.postgres.database import Database
from rag.index.postgres.legs import PostgresLegs
from rag.index.postgres.shared_collection_rows import StoredCollection, worded
from rag.index.protocol import Notice
from rag.index.stored_reader import StoredReader

if TYPE_CHECKING:
    import psycopg
    from pathspec import GitIgnoreSpec


class PostgresCollection(StoredReader):
    """A collection of a shared store."""

    _legs: PostgresLegs

    def __init__(
        self,
        database: Database,
        name: str,
        embedder: Embedder,
        notice: Notice,
        files: GitIgnoreSpec | None,
    ) -> None:
        """Raises as `Store.open_collection`."""
        super().__init__(embedder, notice)
        self._database = database
        self._files = files
        with database.reading() as db:
            row = shared_collection_rows.require(db, name)
            self._begin(db, row)
        check_embedder(name, row.embedder, embedder.identity)
        if not row.chunks:
            raise no_text(name)

    def _begin(self, db: psycopg.Connection[Any], row: StoredCollection) -> None:
        self._read_from(row, worded(db), PostgresLegs(db, row, self._files))

    @contextmanager
    def _moment(self) -> Iterator[None]:
        with self._database.reading() as db:
            row = shared_collection_rows.find(db, self.name)
            if row is None:
                raise deleted(self.name)
            if row != self._row or not self._legs.reads(db):
                self._may_go_on(row)
                self._begin(db, row)
            yield

    def document_text(self, source: str, start: int = 0, end: int | None = None) -> str | None:
        first = start // BLOCK_CHARACTERS
        last = None if end is None else end // BLOCK_CHARACTERS
        with self._moment(), self._database.reading() as db:
            document = contents.number_of(self._sql, self._row.id, source)
            if document is None:
                return None
            rows = db.execute(
                "SELECT data FROM blocks WHERE collection_id = %s AND document_id = %s"
                " AND number >= %s AND (%s::int IS NULL OR number <= %s) ORDER BY number",
                (self._row.id, document, first, last, last),
                binary=True,
            )
            text = "".join(decode_block(data) for (data,) in rows)
        before = first * BLOCK_CHARACTERS
        return text[start - before : None if end is None else max(end - before, 0)]

    def close(self) -> None:
        self._database.close()
