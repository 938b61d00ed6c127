"""What a home remembers of questions, in one file: turns, checkpoints, traces, research runs."""

from __future__ import annotations

import os
import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path

from state.closing import closed_on_failure
from state.errors import StorageError, refuse_other
from state.sql_place import SqlPlace
from state.sqlite_file import (
    connect,
    connect_to_read,
    create_private,
    log_ahead,
    sqlite_failures,
    transaction,
)

HOME_FILE = "home.db"
HOME_SCHEMA = 1
_BEFORE = "threads.db"

# Small pages: a turn of two kilobytes must not round up to four. auto_vacuum works at commits
# that freed pages, which only deleting does. LangGraph makes its own tables beside these.
_PAGES = "pragma page_size = 1024; pragma auto_vacuum = full;"
_SCHEMA = f"""
create table crag_threads (
    id integer primary key, name text not null unique, created_at integer not null,
    last_turn integer not null);
create table crag_turns (
    id integer primary key, thread_id integer not null, n integer not null,
    created_at integer not null, milestone integer not null, size integer not null,
    tokens integer, body blob not null);
create unique index crag_turns_by_number on crag_turns (thread_id, n);
create index crag_turns_pinned on crag_turns (thread_id, n) where milestone <> 0;
create table traces (
    id text primary key, created_at real not null, kind text not null, thread text,
    status text not null, question text not null, body blob not null, parent text);
create index traces_by_time on traces (created_at);
create table research (
    run text not null, kind text not null, name text not null, created_at real not null,
    body text not null, primary key (run, kind, name));
pragma user_version = {HOME_SCHEMA}
"""


class HomePlace(SqlPlace):
    """The file of a home; made when it is first written."""

    def __init__(self, home: Path) -> None:
        super().__init__()
        self.path = home / HOME_FILE
        self._name = f"The store {self.path}"

    def _open(self, *, write: bool) -> sqlite3.Connection | None:
        if self._connection is None:
            if write:
                create_private(self.path)
            elif not self.path.exists():
                return None
            writable = write or os.access(self.path, os.W_OK)
            made = connect if writable else connect_to_read
            with closed_on_failure(made(self.path)) as db:
                version = _version(db)
                refuse_other(version, HOME_SCHEMA, self._name)
                if writable and not version:
                    self._make(db)
                db.execute("pragma secure_delete = on")
            self._connection = db
        found: sqlite3.Connection = self._connection
        return found

    def _make(self, db: sqlite3.Connection) -> None:
        if (before := self.path.with_name(_BEFORE)).exists():
            raise StorageError(
                f"{before} holds threads of a crag before its first release.",
                "Move it away: this one keeps them in another form.",
            )
        db.executescript(_PAGES)
        log_ahead(db)
        with transaction(db):
            if not _version(db):  # or another process made it a moment before
                for statement in _SCHEMA.split(";\n"):
                    db.execute(statement)

    def disk_bytes(self) -> int:
        query = "select page_count * page_size from pragma_page_count, pragma_page_size"
        return sum(size for (size,) in self.read(query))

    def failures(self) -> AbstractContextManager[None]:
        return sqlite_failures(self._name)

    def _transaction(self, db: sqlite3.Connection) -> AbstractContextManager[None]:
        return transaction(db)


def _version(db: sqlite3.Connection) -> int:
    (found,) = db.execute("pragma user_version").fetchone()
    return int(found)
