"""A connection to a shared store: one snapshot for reading, one transaction for writing, and one
writer a collection by an advisory lock that goes with its connection.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING, Any

from rag.index.collection_rows import nothing_ingested
from rag.index.postgres.schema import check_version, store_version
from state.closing import closed_on_failure
from state.errors import StoreBusyError
from state.postgres import connect, place, postgres_failures, value

if TYPE_CHECKING:
    import psycopg

_SESSION = """
SET jit = off;
SET hnsw.ef_search = 200;
SET tcp_keepalives_idle = 30;
SET tcp_keepalives_interval = 10;
SET tcp_keepalives_count = 3
"""
_POLL_SECONDS = 0.1
_LEAST_SECONDS = 1.0
"""For a server to see that a killed process is gone."""
_HOLDER = """
SELECT application_name, backend_start::timestamptz(0)::text
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND objsubid = 1
AND (classid::bigint << 32 | objid::bigint) = %s
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
        with closed_on_failure(self):
            db = self.connected()
            db.execute(_SNAPSHOT)
            self._check(db)

    def _check(self, db: psycopg.Connection[Any]) -> None:
        version = store_version(db, self.schema)
        if version == 0:
            raise nothing_ingested()
        check_version(version, self.url)
        know_vectors(db)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def know_vectors(db: psycopg.Connection[Any]) -> None:
    """Lets the connection send and receive pgvector's types."""
    from pgvector.psycopg import register_vector

    register_vector(db)


@contextmanager
def collection_lock(
    db: psycopg.Connection[Any], schema: str, name: str, wait: float = 0.0
) -> Iterator[None]:
    """Holds the collection of this name; a killed holder's is free once the server has seen that
    its connection ended. `wait`: seconds to wait for another holder.

    Raises:
        StoreBusyError: another connection holds it; names its process and machine.
    """
    label = f"{schema}\0{name}".encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(label, digest_size=8).digest()
    key = int.from_bytes(digest, "big", signed=True)
    deadline = time.monotonic() + max(wait, _LEAST_SECONDS)
    while not value(db, "SELECT pg_try_advisory_lock(%s)", key):
        if time.monotonic() >= deadline:
            held = db.execute(_HOLDER, (key,)).fetchone()
            who = f" ({held[0]}, since {held[1]})" if held and held[0] else ""
            raise StoreBusyError(
                f"Another process is writing to this collection{who}.", "Try again when it is done."
            )
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        if not db.closed:
            db.execute("SELECT pg_advisory_unlock(%s)", (key,))
