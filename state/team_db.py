"""The turns and checkpoints of a team, in Postgres."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from state.home_db import TABLES
from state.postgres import LOCK_SECONDS, PostgresDatabase, advisory_lock, fetch_value, table_exists

if TYPE_CHECKING:
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver

_CHECKPOINTS_LOCK = 0x63726168


class TeamDb(PostgresDatabase):
    """Appends to one thread queue on that thread's row lock; other threads do not wait."""

    versions = "crag_schema"
    version = 9

    def _create_tables(self, db: psycopg.Connection[Any]) -> None:
        key = "bigint generated always as identity primary key"
        db.execute(TABLES.format(key=key, bytes="bytea").encode())

    def disk_bytes(self) -> int:
        query = (
            "select pg_total_relation_size('crag_threads') + pg_total_relation_size('crag_turns')"
        )
        return sum(size for (size,) in self.read(query))

    def checkpointer(self) -> PostgresSaver:
        """LangGraph's saver on this connection. Its tables are made or migrated by one process at a
        time, and by the role that owns the schema: others may not.
        """
        from langgraph.checkpoint.postgres import PostgresSaver

        db = self.connected()
        saver = PostgresSaver(db)
        if table_exists(db, "checkpoint_migrations"):
            done = fetch_value(db, "select max(v) from checkpoint_migrations")
            if done is not None and done >= len(saver.MIGRATIONS) - 1:
                return saver
        with advisory_lock(db, _CHECKPOINTS_LOCK, LOCK_SECONDS):
            saver.setup()
        return saver
