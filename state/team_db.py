"""What a team remembers of questions: the tables of turns and checkpoints in a Postgres."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from state.errors import StoreBusyError, refuse_other
from state.postgres import LOCK_SECONDS, PostgresPlace, place, value

if TYPE_CHECKING:
    import psycopg

THREADS_SCHEMA = 3
_THREADS_LOCK, _CHECKPOINTS_LOCK = 0x63726167, 0x63726168
_SCHEMA = """
create table if not exists crag_schema (version integer not null);
create table if not exists crag_threads (
    id bigint generated always as identity primary key, name text not null unique,
    created_at bigint not null, last_turn integer not null);
create table if not exists crag_turns (
    id bigint generated always as identity primary key, thread_id bigint not null,
    n integer not null, created_at bigint not null, milestone integer not null,
    size integer not null, tokens integer,
    body bytea not null, unique (thread_id, n));
create index if not exists crag_turns_pinned on crag_turns (thread_id, n) where milestone <> 0;
"""


class TeamThreads(PostgresPlace):
    """Appends to one thread queue on that thread's row lock; other threads do not wait."""

    def _make(self, db: psycopg.Connection[Any], *, write: bool) -> bool:
        version = _version(db)
        if version is None and write:
            with db.transaction():
                db.execute("select pg_advisory_xact_lock(%s)", (_THREADS_LOCK,))
                version = _version(db)
                if version is None:
                    db.execute(_SCHEMA)
                    db.execute("insert into crag_schema values (%s)", (THREADS_SCHEMA,))
                    version = THREADS_SCHEMA
        refuse_other(version or 0, THREADS_SCHEMA, place(self._url))
        return version is not None

    def disk_bytes(self) -> int:
        query = (
            "select pg_total_relation_size('crag_threads') + pg_total_relation_size('crag_turns')"
        )
        return sum(size for (size,) in self.read(query))


def _version(db: psycopg.Connection[Any]) -> int | None:
    if not value(db, "select to_regclass('crag_schema') is not null"):
        return None
    found: int | None = value(db, "select max(version) from crag_schema")
    return found


class TeamCheckpoints(PostgresPlace):
    """LangGraph's own tables."""

    def _make(self, db: psycopg.Connection[Any], *, write: bool) -> bool:  # noqa: ARG002
        """Create or migrate them, one process at a time.

        LangGraph builds indexes concurrently, which waits for every open transaction: a process
        that waited inside `pg_advisory_lock` would be one, and both would hang.
        """
        from langgraph.checkpoint.postgres import PostgresSaver

        saver = PostgresSaver(db)
        if value(db, "select to_regclass('checkpoint_migrations') is not null"):
            done = value(db, "select max(v) from checkpoint_migrations")
            if done is not None and done >= len(saver.MIGRATIONS) - 1:
                return True
        give_up = time.monotonic() + LOCK_SECONDS
        while not value(db, "select pg_try_advisory_lock(%s)", _CHECKPOINTS_LOCK):
            if time.monotonic() > give_up:
                raise StoreBusyError(f"{place(self._url)} is being set up elsewhere.", "Try again.")
            time.sleep(0.05)
        try:
            saver.setup()
        finally:
            db.execute("select pg_advisory_unlock(%s)", (_CHECKPOINTS_LOCK,))
        return True


def make_team_tables(url: str, schema: str) -> None:
    """All of them, by the role that owns the schema: others may not."""
    for kind in (TeamThreads, TeamCheckpoints):
        with kind(url, schema) as made, made.failures():
            made.connected()
