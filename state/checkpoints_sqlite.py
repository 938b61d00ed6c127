"""Checkpoints in an SQLite file, through LangGraph's SqliteSaver."""

from __future__ import annotations

import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from state.checkpoints import Checkpoints
from state.closing import closed_on_failure
from state.row_seals import seal_rows
from state.sqlite_file import connect, create_private, log_ahead, sqlite_failures, transaction

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

CHECKPOINT_TABLES = ("checkpoints", "writes")


def make_tables(db: sqlite3.Connection) -> SqliteSaver:
    """LangGraph's own, where they are not there, with their checksums."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    db.execute("pragma auto_vacuum = full")
    log_ahead(db)  # as setup does, which does not wait
    saver = SqliteSaver(db)
    saver.setup()
    seal_rows(db, CHECKPOINT_TABLES)
    return saver


class SqliteCheckpoints(Checkpoints):
    def __init__(self, path: Path) -> None:
        self._path = path

    def saver(self) -> SqliteSaver:
        if self._saver is None:
            create_private(self._path)
            with closed_on_failure(connect(self._path)) as db:
                db.execute("pragma secure_delete = on")
                db.execute("pragma wal_autocheckpoint = 64")
                db.execute("pragma synchronous = normal")  # the turns themselves lie elsewhere
                self._saver = make_tables(db)
        saver: SqliteSaver = self._saver
        return saver

    def prune(self, thread: str, newest: str) -> None:
        """SqliteSaver has no prune of its own. Ids sort by time (UUID version 6); no channel
        of ours is a DeltaChannel, whose history would lie in the older rows.
        """
        saver = self.saver()
        with saver.lock, transaction(saver.conn):
            for table in CHECKPOINT_TABLES:
                saver.conn.execute(
                    f"delete from {table} where thread_id = ? and checkpoint_id < ?",  # noqa: S608
                    (thread, newest),
                )

    def failures(self) -> AbstractContextManager[None]:
        return sqlite_failures(f"The checkpoint store {self._path}")
