"""Reading a collection of a shared store: the query goes there, the best chunks come back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rag.embed.protocol import Embedder
from rag.index.collection_rows import check_embedder, deleted, no_text
from rag.index.postgres import shared_collection_rows
from rag.index.postgres.database import Database
from rag.index.postgres.legs import PostgresLegs
from rag.index.postgres.shared_collection_rows import StoredCollection
from rag.index.protocol import Notice
from rag.index.stored_reader import StoredReader
from state.postgres import Worded

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
        self._read_from(row, Worded(db), PostgresLegs(db, row, self._files))

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

    def close(self) -> None:
        self._database.close()
