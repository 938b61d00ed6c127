"""Turns in a Postgres, for several machines at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from state.postgres import PostgresPlace, place, value
from state.schema_version import refuse_other
from state.turn_store import THREADS_SCHEMA, TurnStore
from state.turns import Clock, utc_now

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
    size integer not null, tokens integer,
    body bytea not null, unique (thread_id, n));
create index if not exists crag_turns_pinned on crag_turns (thread_id, n) where milestone;
"""
_WORDS = ((" threads", " crag_threads"), (" turns", " crag_turns"))


class PostgresTurnStore(TurnStore):
    """Appends to one thread queue on that thread's row lock; other threads do not wait."""

    _DISK_BYTES = (
        "select pg_total_relation_size('crag_threads') + pg_total_relation_size('crag_turns')"
    )

    def __init__(self, url: str, clock: Clock = utc_now, *, schema: str | None = None) -> None:
        """`schema`: where the tables are, if not where the database looks first."""
        super().__init__(_ThreadsPlace(url, schema, _WORDS), clock)

    def prepare(self) -> None:
        """Makes the tables, if need be."""
        with self._place.writing():
            pass


class _ThreadsPlace(PostgresPlace):
    def _make(self, db: psycopg.Connection[Any], *, write: bool) -> bool:
        version = _version(db)
        if version is None and write:
            with db.transaction():
                db.execute("select pg_advisory_xact_lock(%s)", (_SETUP_LOCK,))
                version = _version(db)
                if version is None:
                    db.execute(_SCHEMA)
                    db.execute("insert into crag_schema values (%s)", (THREADS_SCHEMA,))
        refuse_other(version or 0, THREADS_SCHEMA, place(self._url))
        return write or version is not None


def _version(db: psycopg.Connection[Any]) -> int | None:
    if not value(db, "select to_regclass('crag_schema') is not null"):
        return None
    found: int | None = value(db, "select max(version) from crag_schema")
    return found
