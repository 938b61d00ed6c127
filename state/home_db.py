"""home.db: the turns, checkpoints, traces and research runs of a home, in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from state.sqlite_file import SqliteFile

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

HOME_FILE = "home.db"
HOME_SCHEMA = 6

TABLES = """
create table crag_threads (
    id {key}, name text not null unique, created_at bigint not null, last_turn integer not null);
create table crag_turns (
    id {key}, thread_id bigint not null, n integer not null, created_at bigint not null,
    milestone integer not null, question text not null, body {bytes} not null,
    unique (thread_id, n))
"""
"""The tables of threads, which a team's database has too."""

# LangGraph makes its own tables beside these.
_RUNS = """
create table traces (
    rowid integer primary key, id text not null unique, created_at real not null,
    thread text, status text not null, question text not null, collection text not null,
    body blob not null);
create index traces_by_time on traces (created_at);
create table research (
    run text not null, kind text not null, name text not null, created_at real not null,
    body text not null, primary key (run, kind, name))
"""


class HomeDb(SqliteFile):
    """The home.db of a home, created on the first write."""

    version = HOME_SCHEMA
    on_connect = "pragma secure_delete = on"
    # Small pages: a turn of two kilobytes must not round up to four. auto_vacuum works at commits
    # that freed pages, which only deleting does.
    on_create = "pragma page_size = 1024; pragma auto_vacuum = full"

    def __init__(self, home: Path) -> None:
        super().__init__(home / HOME_FILE, "store")

    def _create_tables(self, db: sqlite3.Connection) -> None:
        tables = TABLES.format(key="integer primary key", bytes="blob")
        for statement in (*tables.split(";\n"), *_RUNS.split(";\n")):
            db.execute(statement)

    def checkpointer(self) -> SqliteSaver:
        """LangGraph's saver on this connection, with its tables. It does not commit: each statement
        commits itself, or the transaction around it does.
        """
        from langgraph.checkpoint.sqlite import SqliteSaver

        class HomeSaver(SqliteSaver):
            @contextmanager
            def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:  # noqa: ARG002
                with super().cursor(transaction=False) as cursor:
                    yield cursor

        saver = HomeSaver(self.connected())
        saver.setup()
        return saver
