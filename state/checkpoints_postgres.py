"""Checkpoints in a Postgres, through LangGraph's PostgresSaver."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from state.checkpoints import Checkpoints
from state.errors import StoreBusyError
from state.postgres import LOCK_SECONDS, PostgresPlace, place, value

if TYPE_CHECKING:
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver

_SETUP_LOCK = 0x63726168
_PRUNE_ATTEMPTS = 3


class PostgresCheckpoints(Checkpoints):
    def __init__(self, url: str, schema: str | None = None) -> None:
        """`schema`: where the tables are, if not where the database looks first."""
        super().__init__(_CheckpointsPlace(url, schema))

    def _saver_on(self, connection: psycopg.Connection[Any]) -> PostgresSaver:
        from langgraph.checkpoint.postgres import PostgresSaver

        return PostgresSaver(connection)

    def _prune(self, thread: str) -> None:
        """Another process may be pruning the same thread: then the next turn does it."""
        import psycopg

        for _ in range(_PRUNE_ATTEMPTS):
            try:
                self.saver().prune([thread], strategy="keep_latest")
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                continue
            return


class _CheckpointsPlace(PostgresPlace):
    def _make(self, db: psycopg.Connection[Any], *, write: bool) -> bool:  # noqa: ARG002
        """Create or migrate LangGraph's tables, one process at a time.

        It builds indexes concurrently, which waits for every open transaction: a process
        that waited inside `pg_advisory_lock` would be one, and both would hang.
        """
        from langgraph.checkpoint.postgres import PostgresSaver

        saver = PostgresSaver(db)
        if value(db, "select to_regclass('checkpoint_migrations') is not null"):
            done = value(db, "select max(v) from checkpoint_migrations")
            if done is not None and done >= len(saver.MIGRATIONS) - 1:
                return True
        give_up = time.monotonic() + LOCK_SECONDS
        while not value(db, "select pg_try_advisory_lock(%s)", _SETUP_LOCK):
            if time.monotonic() > give_up:
                raise StoreBusyError(f"{place(self._url)} is being set up elsewhere.", "Try again.")
            time.sleep(0.05)
        try:
            saver.setup()
        finally:
            db.execute("select pg_advisory_unlock(%s)", (_SETUP_LOCK,))
        return True
