"""A shared store: collections in a PostgreSQL with pgvector, asked and written by many machines."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from rag.index import collection_rows
from rag.index.collection_rows import CollectionRow
from rag.index.postgres.database import SharedDatabase, collection_lock
from rag.index.postgres.queries import PostgresQueries
from rag.index.postgres.writer import PostgresWriter
from rag.index.protocol import Notice
from rag.index.store import Store
from rag.index.terms import TERMS_VERSION
from state.postgres import checked_url, connect, place, postgres_failures

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from state.database import Sql

_COUNTS = """
SELECT (SELECT coalesce(sum(chunk_count), 0) FROM documents WHERE collection_id = $1)::bigint,
  (SELECT count(*) FROM chunks WHERE collection_id = $1),
  (SELECT count(*) FROM lexical WHERE collection_id = $1),
  (SELECT count(*) FROM (SELECT lexeme AS term, count(*) AS held FROM lexical, unnest(terms)
     WHERE collection_id = $1 GROUP BY lexeme) AS counted
   FULL JOIN (SELECT term, chunks FROM vocabulary WHERE collection_id = $1) AS known
   USING (term) WHERE coalesce(held, 0) <> coalesce(chunks, 0))
"""


class PostgresStore(Store):
    """The store at `url`, in one schema of its database."""

    def __init__(self, url: str, schema: str) -> None:
        self.url = checked_url(url)
        self.schema = schema
        self.host = socket.gethostname()

    def database(self) -> SharedDatabase:
        return SharedDatabase(self.url, self.schema)

    def _queries(
        self, sql: Sql, row: CollectionRow, files: GitIgnoreSpec | None, _notice: Notice
    ) -> PostgresQueries:
        return PostgresQueries(sql, row, files)

    @contextmanager
    def locked(
        self, name: str, *, create: bool = False, wait: float = 0.0
    ) -> Iterator[SharedDatabase]:
        with closing(SharedDatabase(self.url, self.schema)) as database, database.failures():
            db = database.connected(write=create)
            if db is None:
                raise collection_rows.nothing_ingested()
            with collection_lock(db, self.schema, name, wait):
                yield database

    def _writer(
        self, database: SharedDatabase, row: CollectionRow, _notice: Notice
    ) -> PostgresWriter:
        return PostgresWriter(database, row, self.host)

    def same_terms(self, row: CollectionRow) -> bool:
        """Of a stemmer or a Unicode of another release a shared index is not built again: the
        machines of a team would do so in turn.
        """
        return row.terms_version.partition("/")[0] == TERMS_VERSION.partition("/")[0]

    def rebuild(self, sql: Sql, row: CollectionRow) -> None:
        """By the ingests that follow, which read every file again."""
        sql.execute(
            "UPDATE documents SET size = -1, content_hash = '' WHERE collection_id = $1", (row.id,)
        )
        collection_rows.mark_terms(sql, row.id)

    def delete(self, name: str) -> None:
        """Its rows all at once; readers at work on it finish on what they saw."""
        with self.locked(name) as database, database.writing() as sql:
            row = collection_rows.require(sql, name)
            sql.execute("DELETE FROM collections WHERE id = $1", (row.id,))
            sql.execute("SELECT forget_index($1)", (row.id,))

    def about(self) -> str:
        """What answers there, in words.

        Raises:
            RemoteStoreError: it cannot be reached.
        """
        with postgres_failures(place(self.url)), connect(self.url, self.schema) as db:
            ((version, vector),) = db.execute(
                "SELECT current_setting('server_version'),"
                " (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
            )
        engine = f"PostgreSQL {version}, pgvector {vector or 'missing'}"
        return f"{place(self.url)}: {engine}; schema {self.schema}"

    def differences(self, name: str) -> list[str]:
        """Where the rows of a collection do not agree with each other, in words."""
        with closing(SharedDatabase(self.url, self.schema)) as database, database.reading() as sql:
            row = collection_rows.require(sql, name)
            ((wanted, *counted),) = sql.execute(_COUNTS, (row.id,)).fetchall()
        parts = ("chunks", "chunks in the lexical index", "terms counted otherwise than held")
        return [
            f"{found:,} {part} where {right:,} belong"
            for part, found, right in zip(parts, counted, (wanted, wanted, 0), strict=True)
            if found != right
        ]

    def octets(self) -> dict[str, int]:
        """What the server keeps for the whole schema."""
        with closing(self.database()) as database:
            return {"store": database.disk_bytes()}
