"""A connection to a shared store: one snapshot for reading, one transaction for writing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING, Any

from rag.index.collection_rows import nothing_ingested
from rag.index.postgres.shared_schema import check_version, store_version
from state.postgres import connect, place, postgres_failures

if TYPE_CHECKING:
    import psycopg

_SESSION = """
SET jit = off;
SET hnsw.ef_search = 200;
SET tcp_keepalives_idle = 30;
SET tcp_keepalives_interval = 10;
SET tcp_keepalives_count = 3
"""
_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


class Database:
    """One connection, made when first used, and made again where the server dropped it between
    two uses. Every failure is a CragError.
    """

    def __init__(self, url: str, schema: str) -> None:
        self.url = url
        self.schema = schema
        self._lock = RLock()
        self._connection: psycopg.Connection[Any] | None = None
        self._depth = 0

    def connected(self) -> psycopg.Connection[Any]:
        """The connection itself, in autocommit mode, whatever the store's version is."""
        with self.failures():
            if self._connection is None or self._connection.closed:
                made = connect(self.url, self.schema)
                made.execute(_SESSION)
                self._connection = made
        return self._connection

    def failures(self) -> Any:
        return postgres_failures(place(self.url))

    @contextmanager
    def reading(self) -> Iterator[psycopg.Connection[Any]]:
        """One moment of the store. Nests, and is one thread's at a time.

        Raises:
            NoIndexError: nothing was ever ingested there.
            StorageError: a newer program wrote it.
            RemoteStoreError: the server cannot be reached, or failed.
        """
        with self._lock, self.failures():
            if self._depth == 0:
                self._begin()
            db = self.connected()
            self._depth += 1
            try:
                yield db
            finally:
                self._depth -= 1
                if self._depth == 0 and not db.closed:
                    db.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[psycopg.Connection[Any]]:
        """One transaction, kept if nothing is raised. One thread's at a time, and not within a
        reading. Errors as `reading`.
        """
        with self._lock, self.failures():
            db = self.connected()
            with db.transaction():
                yield db

    def _begin(self) -> None:
        """A snapshot, on a new connection where the server dropped the one that was there."""
        import psycopg

        if self._connection is not None and not self._connection.closed:
            with suppress(psycopg.OperationalError):
                self._connection.execute(_SNAPSHOT)
                return
            self.close()
        try:
            db = self.connected()
            db.execute(_SNAPSHOT)
            self._check(db)
        except BaseException:
            self.close()
            raise

    def _check(self, db: psycopg.Connection[Any]) -> None:
        version = store_version(db, self.schema)
        if version == 0:
            raise nothing_ingested()
        check_version(version, self.url)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
