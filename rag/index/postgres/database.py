"""A connection to a shared store, and one writer a collection by an advisory lock that goes with
its connection.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rag.index.postgres.schema import STORE_VERSION, make_tables, store_version
from state.errors import StoreBusyError, refuse_other
from state.postgres import PostgresDatabase, place, value
from state.team_db import make_team_tables

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


class SharedDatabase(PostgresDatabase):
    """A schema with the tables of collections; StorageError where another program made them."""

    schema: str

    def _make(self, db: psycopg.Connection[Any], *, write: bool) -> bool:
        from pgvector.psycopg import register_vector

        db.execute(_SESSION)
        if write and make_tables(db, self.schema, self.url):
            make_team_tables(self.url, self.schema)
        found = store_version(db, self.schema)
        if found:
            refuse_other(found, STORE_VERSION, place(self.url))
            register_vector(db)
        return bool(found)

    def disk_bytes(self) -> int:
        return sum(
            size
            for (size,) in self.read(
                "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
                " WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'",
                (self.schema,),
            )
        )


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
