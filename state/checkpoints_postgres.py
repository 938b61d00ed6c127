"""Checkpoints in a Postgres, through LangGraph's PostgresSaver."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from state.checkpoints import Checkpoints
from state.errors import StoreBusyError
from state.postgres import (
    LOCK_SECONDS,
    answers,
    checked_url,
    connect,
    place,
    postgres_failures,
    value,
)

if TYPE_CHECKING:
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver

_SETUP_LOCK = 0x63726168
_PRUNE_ATTEMPTS = 3


class PostgresCheckpoints(Checkpoints):
    """One connection, made when first used and made again when the server dropped it."""

    def __init__(self, url: str, schema: str | None = None) -> None:
        """`schema`: where the tables are, if not where the database looks first."""
        self._url = checked_url(url)
        self._schema = schema

    def saver(self) -> PostgresSaver:
        if self._saver is None or not answers(self._saver.conn):
            from langgraph.checkpoint.postgres import PostgresSaver

            db = connect(self._url, self._schema)
            made = PostgresSaver(db)
            self._set_up(made, db)
            self._saver = made
        saver: PostgresSaver = self._saver
        return saver

    def _set_up(self, saver: PostgresSaver, db: psycopg.Connection[Any]) -> None:
        """Create or migrate LangGraph's tables, one process at a time.

        It builds indexes concurrently, which waits for every open transaction: a process
        that waited inside `pg_advisory_lock` would be one, and both would hang.
        """
        if value(db, "select to_regclass('checkpoint_migrations') is not null"):
            done = value(db, "select max(v) from checkpoint_migrations")
            if done is not None and done >= len(saver.MIGRATIONS) - 1:
                return
        give_up = time.monotonic() + LOCK_SECONDS
        while not value(db, "select pg_try_advisory_lock(%s)", _SETUP_LOCK):
            if time.monotonic() > give_up:
                raise StoreBusyError(f"{place(self._url)} is being set up elsewhere.", "Try again.")
            time.sleep(0.05)
        try:
            saver.setup()
        finally:
            db.execute("select pg_advisory_unlock(%s)", (_SETUP_LOCK,))

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
