"""A shared store: collections in a PostgreSQL with pgvector, asked and written by many machines."""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rag.index import collection_rows
from rag.index.collection_rows import CollectionRow
from rag.index.postgres.database import SharedDatabase
from rag.index.postgres.queries import PostgresQueries
from rag.index.postgres.writer import PostgresWriter
from rag.index.protocol import Notice
from rag.index.store import Store
from state.postgres import advisory_lock, checked_url, connect, postgres_failures, server_address

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from state.database import Sql

_LOCK_SECONDS = 1.0
"""How long a lock is waited for: until the server sees that a killed process is gone."""


class PostgresStore(Store):
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
    def locked(self, name: str, *, create: bool = False) -> Iterator[SharedDatabase]:
        with self.database() as database, database.failures():
            db = database.connected(write=create)
            if db is None:
                raise collection_rows.nothing_ingested()
            label = f"{self.schema}\0{name}".encode("utf-8", "surrogatepass")
            digest = hashlib.blake2b(label, digest_size=8).digest()
            key = int.from_bytes(digest, "big", signed=True)
            with advisory_lock(db, key, _LOCK_SECONDS):
                yield database

    def _writer(
        self, database: SharedDatabase, row: CollectionRow, _notice: Notice
    ) -> PostgresWriter:
        return PostgresWriter(database, row, self.host)

    def delete(self, name: str) -> None:
        """Deletes all in one transaction; readers at work on it finish on their snapshot."""
        with self.locked(name) as database, database.writing() as sql:
            row = collection_rows.require(sql, name)
            sql.execute("DELETE FROM collections WHERE id = $1", (row.id,))
            sql.execute("SELECT forget_index($1)", (row.id,))

    def about(self) -> str:
        """The server, its versions and the schema, in words.

        Raises:
            RemoteStoreError: it cannot be reached.
        """
        with postgres_failures(server_address(self.url)), connect(self.url, self.schema) as db:
            ((version, vector),) = db.execute(
                "SELECT current_setting('server_version'),"
                " (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
            )
        engine = f"PostgreSQL {version}, pgvector {vector or 'missing'}"
        return f"{server_address(self.url)}: {engine}; schema {self.schema}"

    def disk_bytes(self) -> dict[str, int]:
        """What the server keeps for the whole schema."""
        with self.database() as database:
            return {"store": database.disk_bytes()}
