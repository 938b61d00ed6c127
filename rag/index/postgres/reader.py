"""Reading a collection of a shared store: the query goes there, the best chunks come back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rag.embed.protocol import Embedder
from rag.index import collection_rows
from rag.index.collection_rows import CollectionRow
from rag.index.postgres.database import Database
from rag.index.postgres.queries import PostgresQueries
from rag.index.protocol import Notice
from rag.index.reader import Reader
from state.postgres import Marked

if TYPE_CHECKING:
    import psycopg
    from pathspec import GitIgnoreSpec


class PostgresReader(Reader):
    """A collection of a shared store."""

    _queries: PostgresQueries

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
            row = collection_rows.require(Marked(db), name)
            collection_rows.check_embedder(name, row.embedder, embedder.identity)
            self._begin(db, row)
        self._require_text()

    def _begin(self, db: psycopg.Connection[Any], row: CollectionRow) -> None:
        self._read_from(row, PostgresQueries(Marked(db), row.id, row.embedder, self._files))

    @contextmanager
    def _moment(self) -> Iterator[None]:
        with self._database.reading() as db:
            row = collection_rows.find(Marked(db), self.name)
            if row is None:
                raise collection_rows.deleted(self.name)
            if row != self._row or self._queries.connection is not db:
                self._may_go_on(row)
                self._begin(db, row)
            yield

    def close(self) -> None:
        self._database.close()
