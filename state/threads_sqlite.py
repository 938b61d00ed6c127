"""Turns in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from state.errors import StorageError
from state.row_seals import seal_rows
from state.schema_version import read_version, write_version
from state.sqlite_file import SqlitePlace, transaction
from state.turn_store import THREADS_SCHEMA, TurnStore, kept_answer
from state.turns import Clock, from_micros, utc_now

# Small pages: a turn of two kilobytes must not round up to four. auto_vacuum works at commits
# that freed pages, which only deleting does.
_PAGES = "pragma page_size = 1024; pragma auto_vacuum = full;"
_SCHEMA = """
create table if not exists threads (
    id integer primary key, name text not null unique, created_at integer not null,
    last_turn integer not null);
create table if not exists turns (
    id integer primary key, thread_id integer not null, n integer not null,
    created_at integer not null, milestone integer not null, body blob not null);
create unique index if not exists turns_by_number on turns (thread_id, n);
create index if not exists turns_pinned on turns (thread_id, n) where milestone
"""
THREAD_TABLES = ("threads", "turns")


def make_tables(db: sqlite3.Connection) -> None:
    """Those that are not there, with their checksums."""
    db.executescript(_PAGES)
    with transaction(db):
        for statement in _SCHEMA.split(";"):
            db.execute(statement)
        seal_rows(db, THREAD_TABLES)
        write_version(db, THREADS_SCHEMA)


def is_whole_turn(row: Mapping[str, Any]) -> bool:
    """Whether a turn without a checksum, by column, is what was written."""
    try:
        from_micros(row["created_at"])
        body = row["body"] if isinstance(row["body"], bytes) else b""
        return bool(kept_answer(body)["turn"] == row["n"])
    except StorageError:
        return False


def name_threads(db: sqlite3.Connection) -> None:
    """Put back the threads whose own rows are lost: their turns say what they are called."""
    nameless = db.execute(
        "select thread_id, max(n), min(created_at), body from turns"
        " where thread_id not in (select id from threads) group by thread_id"
    ).fetchall()
    for key, last, created, body in nameless:
        with suppress(StorageError):
            row = (key, kept_answer(body)["thread"], created, last)
            db.execute("insert or ignore into threads values (?, ?, ?, ?)", row)


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
