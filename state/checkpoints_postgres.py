"""Checkpoints in a Postgres, through LangGraph's PostgresSaver."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from state.errors import StoreBusyError
from state.postgres import LOCK_SECONDS, answers, checked_url, connect, place, postgres_failures

if TYPE_CHECKING:
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver

_SETUP_LOCK = 0x63726168
_PRUNE_ATTEMPTS = 3


class PostgresBackend:
    """One connection, made when first used and made again when the server dropped it."""

    def __init__(self, url: str, schema: str | None = None) -> None:
        """`schema`: where the tables are, if not where the database looks first."""
        self._url = checked_url(url)
        self._schema = schema
        self._connection: psycopg.Connection[Any] | None = None
        self._saver: PostgresSaver | None = None

    def saver(self) -> PostgresSaver:
        if self._connection is not None and not answers(self._connection):
            self._connection = self._saver = None
        if self._saver is None:
            from langgraph.checkpoint.postgres import PostgresSaver
            from psycopg.rows import dict_row

            self._connection = connect(self._url, self._schema, row_factory=dict_row)
            saver = PostgresSaver(self._connection)
            self._set_up(saver, self._connection)
            self._saver = saver
        return self._saver

    def _set_up(self, saver: PostgresSaver, db: psycopg.Connection[Any]) -> None:
        """Create or migrate LangGraph's tables, one process at a time.

        It builds indexes concurrently, which waits for every open transaction: a process
        that waited inside `pg_advisory_lock` would be one, and both would hang.
        """
        if self._is_set_up(saver, db):
            return
        give_up = time.monotonic() + LOCK_SECONDS
        while not _value(db, "select pg_try_advisory_lock(%s) as v", (_SETUP_LOCK,)):
            if time.monotonic() > give_up:
                raise StoreBusyError(f"{place(self._url)} is being set up elsewhere.", "Try again.")
            time.sleep(0.05)
        try:
            saver.setup()
        finally:
            db.execute("select pg_advisory_unlock(%s)", (_SETUP_LOCK,))

    @staticmethod
    def _is_set_up(saver: PostgresSaver, db: psycopg.Connection[Any]) -> bool:
        if not _value(db, "select to_regclass('checkpoint_migrations') is not null as v"):
            return False
        done = _value(db, "select max(v) as v from checkpoint_migrations")
        return done is not None and done >= len(saver.MIGRATIONS) - 1

    def prune(self, thread: str, newest: str) -> None:  # noqa: ARG002 - it finds the newest
        """Another process may be pruning the same thread: then the next turn does it."""
        import psycopg

        for _ in range(_PRUNE_ATTEMPTS):
            try:
                self.saver().prune([thread], strategy="keep_latest")
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                continue
            return

    def failures(self) -> AbstractContextManager[None]:
        return postgres_failures(place(self._url))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = self._saver = None


def _value(db: psycopg.Connection[Any], sql: str, values: tuple[object, ...] = ()) -> Any:
    row = db.execute(sql, values).fetchone()
    return None if row is None else row["v"]
