"""Turns in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, Self

from state.answer import Answer
from state.errors import StorageError
from state.sqlite_file import connect, create_private, sqlite_failures
from state.threads import (
    PAGE_OF_TURNS,
    THREADS_SCHEMA,
    CitedFile,
    Clock,
    PrunePlan,
    StoreSize,
    ThreadSummary,
    Turn,
    no_such_thread,
    no_such_turn,
    to_micros,
    utc_now,
)
from state.turn_codec import encode_turn
from state.turn_rows import by_thread, checked_name, prune_query, to_summary, to_turn

# Small pages: a turn of two kilobytes must not round up to four. auto_vacuum works at commits
# that freed pages, which only deleting does.
_SCHEMA = f"""
pragma page_size = 1024;
pragma auto_vacuum = full;
begin immediate;
create table if not exists threads (
    id integer primary key, name text not null unique, created_at integer not null,
    last_turn integer not null);
create table if not exists turns (
    id integer primary key, thread_id integer not null, n integer not null,
    created_at integer not null, milestone integer not null, body blob not null);
create unique index if not exists turns_by_number on turns (thread_id, n);
create index if not exists turns_pinned on turns (thread_id, n) where milestone;
pragma user_version = {THREADS_SCHEMA};
commit;
"""

_SELECT = """select n, created_at, milestone, body from turns
    where thread_id = (select id from threads where name = ?)"""


class SqliteTurnStore:
    """Appends are transactions under SQLite's own write lock; a path of None lives in memory."""

    def __init__(self, path: Path | None, clock: Clock = utc_now) -> None:
        self._path = path
        self._clock = clock
        self._lock = RLock()
        self._connection: sqlite3.Connection | None = None
        self._name = "The thread store" if path is None else f"The thread store {path}"

    def append(
        self,
        thread: str,
        answer: Answer,
        *,
        milestone: bool = False,
        files: Mapping[str, CitedFile] | None = None,
    ) -> int:
        checked_name(thread)
        with self._writing() as db:
            now = to_micros(self._clock())
            db.execute("insert or ignore into threads values (null, ?, ?, 0)", (thread, now))
            db.execute("update threads set last_turn = last_turn + 1 where name = ?", (thread,))
            key, number = db.execute(
                "select id, last_turn from threads where name = ?", (thread,)
            ).fetchone()
            kept: Answer = {**answer, "thread": thread, "turn": number}
            db.execute(
                "insert into turns values (null, ?, ?, ?, ?, ?)",
                (key, number, now, milestone, encode_turn(kept, files or {})),
            )
        return int(number)

    def turns(
        self,
        thread: str,
        *,
        newest_first: bool = False,
        before: int | None = None,
        limit: int | None = None,
        milestones: bool = False,
    ) -> Iterator[Turn]:
        sql = _SELECT + " and n > ? and n < ?" + (" and milestone" if milestones else "")
        sql += f" order by n {'desc' if newest_first else 'asc'} limit ?"
        low, high = 0, 2**62 if before is None else before
        left, size = limit, 2  # the newest turn or two are all that most callers need
        while left is None or left > 0:
            count = size if left is None else min(size, left)
            rows = self._read(sql, (thread, low, high, count))
            for row in rows:
                yield to_turn(thread, row)
            if len(rows) < count:
                return
            left = None if left is None else left - count
            low, high = (low, rows[-1][0]) if newest_first else (rows[-1][0], high)
            size = min(size * 2, PAGE_OF_TURNS)

    def turn(self, thread: str, number: int) -> Turn:
        rows = self._read(_SELECT + " and n = ?", (thread, number))
        if not rows:
            raise no_such_turn(thread, number)
        return to_turn(thread, rows[0])

    def last_turn(self, thread: str) -> int:
        rows = self._read("select last_turn from threads where name = ?", (thread,))
        return int(rows[0][0]) if rows else 0

    def threads(self) -> list[ThreadSummary]:
        rows = self._read(
            """select name, last_turn, t.created_at, count(u.n), max(u.created_at),
                   sum(length(u.body)),
                   (select body from turns where thread_id = t.id order by n limit 1)
               from threads t left join turns u on u.thread_id = t.id
               group by t.id order by coalesce(max(u.created_at), t.created_at) desc, t.id desc"""
        )
        return [to_summary(row) for row in rows]

    def pin(self, thread: str, number: int, *, milestone: bool = True) -> None:
        with self._writing() as db:
            changed = db.execute(
                """update turns set milestone = ?
                   where n = ? and thread_id = (select id from threads where name = ?)""",
                (milestone, number, thread),
            ).rowcount
            if changed == 0:
                raise no_such_turn(thread, number)

    def delete(self, thread: str) -> int:
        with self._writing() as db:
            row = db.execute("select id from threads where name = ?", (thread,)).fetchone()
            if row is None:
                raise no_such_thread(thread)
            turns = db.execute("delete from turns where thread_id = ?", row).rowcount
            db.execute("delete from threads where id = ?", row)
        return turns

    def prune(self, plan: PrunePlan, *, dry_run: bool = False) -> dict[str, list[int]]:
        query, values = prune_query(plan, ("threads", "turns"), "?")
        if dry_run:
            return by_thread(self._read(query, values))
        with self._writing() as db:
            rows = db.execute(query, values).fetchall()
            db.executemany("delete from turns where id = ?", [(row[0],) for row in rows])
        return by_thread(rows)

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _open(self, *, write: bool) -> sqlite3.Connection | None:
        """The connection, or None where there is nothing to read yet."""
        if self._connection is not None:
            return self._connection
        if self._path is not None and write:
            create_private(self._path)
        elif self._path is not None and not self._path.exists():
            return None
        db = connect(":memory:" if self._path is None else self._path)
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
        (version,) = db.execute("pragma user_version").fetchone()
        if version > THREADS_SCHEMA:
            raise StorageError(
                f"{self._name} was written by a newer crag (schema {version}).",
                "Use that version, or another home.",
            )
        if version == 0 and write:
            db.executescript(_SCHEMA)
        db.execute("pragma secure_delete = on")
        return write or version > 0

    def _read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock, sqlite_failures(self._name):
            db = self._open(write=False)
            return [] if db is None else db.execute(sql, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, sqlite_failures(self._name):
            db = self._open(write=True)
            assert db is not None
            db.execute("begin immediate")
            try:
                yield db
                db.execute("commit")
            except BaseException:
                if db.in_transaction:
                    db.execute("rollback")
                raise
