"""What a team remembers of questions: turns, checkpoints and traces in a Postgres."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from state.errors import StoreBusyError, refuse_other
from state.home_db import TABLES
from state.postgres import LOCK_SECONDS, PostgresDatabase, place, value

if TYPE_CHECKING:
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver

TEAM_SCHEMA = 4
_TABLES_LOCK, _CHECKPOINTS_LOCK = 0x63726167, 0x63726168
_PRUNE_ATTEMPTS = 3
_HERE = "select to_regclass(format('%%I.%%I', current_schema(), %s::text)) is not null"
"""Whether a table stands in the schema itself: `public`, where it looks too, may have its own."""


class TeamDb(PostgresDatabase):
    """Appends to one thread queue on that thread's row lock; other threads do not wait."""

    def _make(self, db: psycopg.Connection[Any], *, write: bool) -> bool:
        version = _version(db)
        if version is None and write:
            with db.transaction():
                db.execute("select pg_advisory_xact_lock(%s)", (_TABLES_LOCK,))
                version = _version(db)
                if version is None:
                    tables = TABLES.format(
                        key="bigint generated always as identity primary key", bytes="bytea"
                    )
                    db.execute(tables.encode())
                    db.execute("create table crag_schema (version integer not null)")
                    db.execute("insert into crag_schema values (%s)", (TEAM_SCHEMA,))
                    version = TEAM_SCHEMA
        refuse_other(version or 0, TEAM_SCHEMA, place(self.url))
        return version is not None

    def disk_bytes(self) -> int:
        query = (
            "select pg_total_relation_size('crag_threads') + pg_total_relation_size('crag_turns')"
        )
        return sum(size for (size,) in self.read(query))

    def checkpointer(self) -> PostgresSaver:
        """On the connection, with LangGraph's own tables, made or migrated one process at a time.

        LangGraph builds indexes concurrently, which waits for every open transaction: a process
        that waited inside `pg_advisory_lock` would be one, and both would hang.
        """
        from langgraph.checkpoint.postgres import PostgresSaver

        db = self.connected()
        saver = PostgresSaver(db)
        if value(db, _HERE, "checkpoint_migrations"):
            done = value(db, "select max(v) from checkpoint_migrations")
            if done is not None and done >= len(saver.MIGRATIONS) - 1:
                return saver
        give_up = time.monotonic() + LOCK_SECONDS
        while not value(db, "select pg_try_advisory_lock(%s)", _CHECKPOINTS_LOCK):
            if time.monotonic() > give_up:
                raise StoreBusyError(f"{place(self.url)} is being set up elsewhere.", "Try again.")
            time.sleep(0.05)
        try:
            saver.setup()
        finally:
            db.execute("select pg_advisory_unlock(%s)", (_CHECKPOINTS_LOCK,))
        return saver

    def prune(self, saver: PostgresSaver, thread: str) -> None:
        """As of a home. Another process may be pruning the same thread: then the next turn does."""
        import psycopg

        for _ in range(_PRUNE_ATTEMPTS):
            try:
                saver.prune([thread], strategy="keep_latest")
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                continue
            return


def _version(db: psycopg.Connection[Any]) -> int | None:
    if not value(db, _HERE, "crag_schema"):
        return None
    found: int | None = value(db, "select max(version) from crag_schema")
    return found


def make_team_tables(url: str, schema: str) -> None:
    """All of them, by the role that owns the schema: others may not."""
    with TeamDb(url, schema) as made, made.failures():
        made.checkpointer()
