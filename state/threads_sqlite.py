"""Turns in one SQLite file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from state.schema_version import read_version, write_version
from state.sqlite_file import SqlitePlace, transaction
from state.turn_store import THREADS_SCHEMA, TurnStore
from state.turns import Clock, utc_now

# Small pages: a turn of two kilobytes must not round up to four. auto_vacuum works at commits
# that freed pages, which only deleting does.
_PAGES = "pragma page_size = 1024; pragma auto_vacuum = full;"
_SCHEMA = """
create table if not exists threads (
    id integer primary key, name text not null unique, created_at integer not null,
    last_turn integer not null);
create table if not exists turns (
    id integer primary key, thread_id integer not null, n integer not null,
    created_at integer not null, milestone integer not null, size integer not null,
    tokens integer, body blob not null);
create unique index if not exists turns_by_number on turns (thread_id, n);
create index if not exists turns_pinned on turns (thread_id, n) where milestone
"""


def make_tables(db: sqlite3.Connection) -> None:
    """Those that are not there."""
    db.executescript(_PAGES)
    with transaction(db):
        for statement in _SCHEMA.split(";"):
            db.execute(statement)
        write_version(db, THREADS_SCHEMA)


class SqliteTurnStore(TurnStore):
    """Appends are transactions under SQLite's own write lock."""

    _DISK_BYTES = "select page_count * page_size from pragma_page_count, pragma_page_size"

    def __init__(self, path: Path, clock: Clock = utc_now) -> None:
        super().__init__(SqlitePlace(path, "The thread store", _prepare, THREADS_SCHEMA), clock)


def _prepare(db: sqlite3.Connection) -> None:
    """See to it that the file holds our schema."""
    if read_version(db) == 0:
        make_tables(db)
    db.execute("pragma secure_delete = on")
