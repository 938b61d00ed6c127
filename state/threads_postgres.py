"""Turns in a Postgres, for several machines at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from state.errors import StorageError
from state.postgres import checked_url, connect, place, postgres_failures
from state.turn_store import THREADS_SCHEMA, TurnStore
from state.turns import Clock, StoreSize, utc_now

if TYPE_CHECKING:
    import psycopg

_SETUP_LOCK = 0x63726167
_SCHEMA = """
create table if not exists crag_schema (version integer not null);
create table if not exists crag_threads (
    id bigint generated always as identity primary key, name text not null unique,
    created_at bigint not null, last_turn integer not null);
create table if not exists crag_turns (
    id bigint generated always as identity primary key, thread_id bigint not null,
    n integer not null, created_at bigint not null, milestone boolean not null,
    body bytea not null, unique (thread_id, n));
create index if not exists crag_turns_pinned on crag_turns (thread_id, n) where milestone;
"""


class PostgresTurnStore(TurnStore):
    """Appends to one thread queue on that thread's row lock; other threads do not wait."""

    tables = ("crag_threads", "crag_turns")
    mark = "%s"

    def __init__(self, url: str, clock: Clock = utc_now, *, schema: str | None = None) -> None:
        """`schema`: where the tables are, if not where the database looks first."""
        super().__init__(clock)
        self._url = checked_url(url)
        self._schema = schema
        self._connection: psycopg.Connection[Any] | None = None
        self._ready = False

    def _numbered(self, db: psycopg.Connection[Any], thread: str, now: int) -> tuple[int, int]:
        row = db.execute(
            """insert into crag_threads as t (name, created_at, last_turn) values (%s, %s, 1)
               on conflict (name) do update set last_turn = t.last_turn + 1
               returning id, last_turn""",
            (thread, now),
        ).fetchone()
        return cast("tuple[int, int]", row)

    def size(self) -> StoreSize:
        rows = self._read(
            """select (select count(*) from crag_threads), count(*),
                   coalesce(sum(length(body)), 0)::bigint,
                   pg_total_relation_size('crag_turns') + pg_total_relation_size('crag_threads')
               from crag_turns"""
        )
        return StoreSize(*rows[0]) if rows else StoreSize(0, 0, 0, 0)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _connected(self, *, write: bool) -> psycopg.Connection[Any] | None:
        """A connection that is alive, or None where there is nothing to read yet.

        A server restarted between two questions is noticed here, before anything was
        sent that might have been committed.
        """
        import psycopg

        if self._connection is not None:
            try:
                self._connection.execute("select 1")
            except psycopg.Error:
                self._connection.close()
                self._connection = None
        if self._connection is None:
            self._connection = connect(self._url, self._schema)
        if not self._ready:
            self._ready = self._prepared(self._connection, write=write)
        return self._connection if self._ready else None

    def prepare(self) -> None:
        """Makes the tables, if need be."""
        with self._writing():
            pass

    def _prepared(self, db: psycopg.Connection[Any], *, write: bool) -> bool:
        """Whether the database holds, or now holds, our schema."""
        version = self._version(db)
        if version is None and write:
            with db.transaction():
                db.execute("select pg_advisory_xact_lock(%s)", (_SETUP_LOCK,))
                version = self._version(db)
                if version is None:
                    db.execute(_SCHEMA)
                    db.execute("insert into crag_schema values (%s)", (THREADS_SCHEMA,))
        if version is not None and version > THREADS_SCHEMA:
            raise StorageError(
                f"{place(self._url)} was written by a newer crag (schema {version}).",
                "Use that version, or another database.",
            )
        return write or version is not None

    @staticmethod
    def _version(db: psycopg.Connection[Any]) -> int | None:
        row = db.execute("select to_regclass('crag_schema') is not null").fetchone()
        if row is None or not row[0]:
            return None
        row = db.execute("select max(version) from crag_schema").fetchone()
        return None if row is None else row[0]

    def _read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock, postgres_failures(place(self._url)):
            db = self._connected(write=False)
            return [] if db is None else db.execute(self._sql(sql), values, binary=True).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[psycopg.Connection[Any]]:
        with self._lock, postgres_failures(place(self._url)):
            db = self._connected(write=True)
            assert db is not None
            with db.transaction():
                yield db
