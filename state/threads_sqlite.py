"""Turns in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from state.errors import StorageError
from state.row_seals import are_sealed, seal_rows
from state.schema_version import is_noted, read_version, write_version
from state.sqlite_file import connect, create_private, sqlite_failures, transaction
from state.turn_codec import decode_turn
from state.turn_store import THREADS_SCHEMA, TurnStore
from state.turns import Clock, StoreSize, from_micros, utc_now

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
        return bool(decode_turn(body).answer["turn"] == row["n"])
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
            row = (key, decode_turn(body).answer["thread"], created, last)
            db.execute("insert or ignore into threads values (?, ?, ?, ?)", row)


class SqliteTurnStore(TurnStore):
    """Appends are transactions under SQLite's own write lock."""

    tables = ("threads", "turns")
    mark = "?"

    def __init__(self, path: Path, clock: Clock = utc_now) -> None:
        super().__init__(clock)
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._name = f"The thread store {path}"

    def _numbered(self, db: sqlite3.Connection, thread: str, now: int) -> tuple[int, int]:
        db.execute("insert or ignore into threads values (null, ?, ?, 0)", (thread, now))
        db.execute("update threads set last_turn = last_turn + 1 where name = ?", (thread,))
        key, number = db.execute(
            "select id, last_turn from threads where name = ?", (thread,)
        ).fetchone()
        return key, number

    def size(self) -> StoreSize:
        rows = self._read("select count(*), coalesce(sum(length(body)), 0) from turns")
        threads = self._read("select count(*) from threads")
        pages = self._read("select page_count * page_size from pragma_page_count, pragma_page_size")
        turns, turn_bytes = rows[0] if rows else (0, 0)
        return StoreSize(
            threads=threads[0][0] if threads else 0,
            turns=turns,
            turn_bytes=turn_bytes,
            disk_bytes=pages[0][0] if pages else 0,
        )

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self, *, write: bool) -> sqlite3.Connection | None:
        """The connection, or None where there is nothing to read yet."""
        if self._connection is not None:
            return self._connection
        if write:
            create_private(self._path)
        elif not self._path.exists():
            return None
        db = connect(self._path)
        try:
            if not self._prepare(db, write=write):
                db.close()
                return None
        except BaseException:
            db.close()
            raise
        self._connection = db
        return db

    def _prepare(self, db: sqlite3.Connection, *, write: bool) -> bool:
        """Whether the file holds, or now holds, our schema."""
        version = read_version(db)
        if version > THREADS_SCHEMA:
            raise StorageError(
                f"{self._name} was written by a newer crag (schema {version}).",
                "Use that version, or another home.",
            )
        if write and not (is_noted(db) and are_sealed(db, THREAD_TABLES)):
            make_tables(db)
        db.execute("pragma secure_delete = on")
        return write or version > 0

    def _read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock, sqlite_failures(self._name):
            db = self._open(write=False)
            return [] if db is None else db.execute(self._sql(sql), values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, sqlite_failures(self._name):
            db = self._open(write=True)
            assert db is not None
            with transaction(db):
                yield db
