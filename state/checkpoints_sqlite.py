"""Checkpoints in an SQLite file, through LangGraph's SqliteSaver."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from state.checkpoints import Checkpoints
from state.sqlite_file import SqlitePlace, log_ahead, transaction

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

CHECKPOINT_TABLES = ("checkpoints", "writes")


def make_tables(db: sqlite3.Connection) -> None:
    """LangGraph's own, where they are not there."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    db.execute("pragma auto_vacuum = full")
    log_ahead(db)  # as setup does, which does not wait
    SqliteSaver(db).setup()


def _prepare(db: sqlite3.Connection) -> None:
    db.execute("pragma secure_delete = on")
    db.execute("pragma wal_autocheckpoint = 64")
    db.execute("pragma synchronous = normal")  # the turns themselves lie elsewhere
    make_tables(db)


class SqliteCheckpoints(Checkpoints):
    def __init__(self, path: Path) -> None:
        super().__init__(SqlitePlace(path, "The checkpoint store", _prepare))

    def _saver_on(self, connection: sqlite3.Connection) -> SqliteSaver:
        from langgraph.checkpoint.sqlite import SqliteSaver

        return SqliteSaver(connection)

    def _prune(self, thread: str) -> None:
        """SqliteSaver has no prune of its own. Ids sort by time (UUID version 6); no channel
        of ours is a DeltaChannel, whose history would lie in the older rows.
        """
        saver = self.saver()
        with saver.lock, transaction(saver.conn):
            for table in reversed(CHECKPOINT_TABLES):
                saver.conn.execute(
                    f"delete from {table} where thread_id = ?1 and checkpoint_id <"  # noqa: S608
                    " (select max(checkpoint_id) from checkpoints where thread_id = ?1)",
                    (thread,),
                )
