"""What a home remembers of questions, in one file: turns, checkpoints, traces, research runs."""

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
HOME_SCHEMA = 5

TABLES = """
create table crag_threads (
    id {key}, name text not null unique, created_at bigint not null, last_turn integer not null);
create table crag_turns (
    id {key}, thread_id bigint not null, n integer not null, created_at bigint not null,
    milestone integer not null, size integer not null, tokens integer, question text not null,
    body {bytes} not null,
    unique (thread_id, n));
create index crag_turns_pinned on crag_turns (thread_id, n) where milestone <> 0
"""
"""Of threads, also in a team's database."""

# Small pages: a turn of two kilobytes must not round up to four. auto_vacuum works at commits
# that freed pages, which only deleting does. LangGraph makes its own tables beside these.
_PAGES = "pragma page_size = 1024; pragma auto_vacuum = full;"
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
    """The file of a home; made when it is first written."""

    version = HOME_SCHEMA

    def __init__(self, home: Path) -> None:
        super().__init__(home / HOME_FILE, "store")

    def _prepare(self, db: sqlite3.Connection) -> None:
        db.execute("pragma secure_delete = on")

    def _before(self, db: sqlite3.Connection) -> None:
        db.executescript(_PAGES)

    def _make(self, db: sqlite3.Connection) -> None:
        tables = TABLES.format(key="integer primary key", bytes="blob")
        for statement in (*tables.split(";\n"), *_RUNS.split(";\n")):
            db.execute(statement)

    def checkpointer(self) -> SqliteSaver:
        """On the connection, which is made with its tables. It commits nothing itself: each
        statement does, or the transaction that it is inside of.
        """
        from langgraph.checkpoint.sqlite import SqliteSaver

        class HomeSaver(SqliteSaver):
            @contextmanager
            def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:  # noqa: ARG002
                with super().cursor(transaction=False) as cursor:
                    yield cursor

        saver = HomeSaver(self.connected())
        # A turn that was left may still read with it: closed meanwhile, SQLite breaks down.
        saver.lock = self._lock  # type: ignore[assignment]
        saver.setup()
        return saver
