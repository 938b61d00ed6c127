"""Turns in a Postgres, for several machines at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, Self, cast

from state.answer import Answer
from state.errors import StorageError
from state.postgres import checked_url, connect, place, postgres_failures
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

if TYPE_CHECKING:
    import psycopg

_SETUP_LOCK = 0x63726167
_SCHEMA = """
create table if not exists crag_schema (version integer not null);
create table if not exists crag_threads (
    id bigint generated always as identity primary key, name text not null unique,
    created_at bigint not null, last_turn integer not null);
create table if not exists crag_turns (
    id bigint generated always as identity primary key, thread_id bigint not null,
    n integer not null, created_at bigint not null, milestone boolean not null,
    body bytea not null, unique (thread_id, n));
create index if not exists crag_turns_pinned on crag_turns (thread_id, n) where milestone;
"""

_SELECT = """select n, created_at, milestone, body from crag_turns
    where thread_id = (select id from crag_threads where name = %s)"""


class PostgresTurnStore:
    """Appends to one thread queue on that thread's row lock; other threads do not wait."""

    def __init__(self, url: str, clock: Clock = utc_now) -> None:
        self._url = checked_url(url)
        self._clock = clock
        self._lock = RLock()
        self._connection: psycopg.Connection[Any] | None = None
        self._ready = False

    def append(
        self,
        thread: str,
        answer: Answer,
        *,
        milestone: bool = False,
        files: Mapping[str, CitedFile] | None = None,
    ) -> int:
        checked_name(thread)
        now = to_micros(self._clock())
        with self._writing() as db:
            row = db.execute(
                """insert into crag_threads as t (name, created_at, last_turn) values (%s, %s, 1)
                   on conflict (name) do update set last_turn = t.last_turn + 1
                   returning id, last_turn""",
                (thread, now),
            ).fetchone()
            key, number = cast("tuple[int, int]", row)
            kept: Answer = {**answer, "thread": thread, "turn": number}
            db.execute(
                """insert into crag_turns (thread_id, n, created_at, milestone, body)
                   values (%s, %s, %s, %s, %s)""",
                (key, number, now, milestone, encode_turn(kept, files or {})),
            )
        return number

    def turns(
        self,
        thread: str,
        *,
        newest_first: bool = False,
        before: int | None = None,
        limit: int | None = None,
        milestones: bool = False,
    ) -> Iterator[Turn]:
        sql = _SELECT + " and n > %s and n < %s" + (" and milestone" if milestones else "")
        sql += f" order by n {'desc' if newest_first else 'asc'} limit %s"
        low, high = 0, 2**31 - 1 if before is None else before
        left, size = limit, 2
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
        rows = self._read(_SELECT + " and n = %s", (thread, number))
        if not rows:
            raise no_such_turn(thread, number)
        return to_turn(thread, rows[0])

    def last_turn(self, thread: str) -> int:
        rows = self._read("select last_turn from crag_threads where name = %s", (thread,))
        return int(rows[0][0]) if rows else 0

    def threads(self) -> list[ThreadSummary]:
        rows = self._read(
            """select name, last_turn, t.created_at, count(u.n), max(u.created_at),
                   sum(length(u.body)),
                   (select body from crag_turns where thread_id = t.id order by n limit 1)
               from crag_threads t left join crag_turns u on u.thread_id = t.id
               group by t.id order by coalesce(max(u.created_at), t.created_at) desc, t.id desc"""
        )
        return [to_summary(row) for row in rows]

    def pin(self, thread: str, number: int, *, milestone: bool = True) -> None:
        with self._writing() as db:
            changed = db.execute(
                """update crag_turns set milestone = %s
                   where n = %s and thread_id = (select id from crag_threads where name = %s)""",
                (milestone, number, thread),
            ).rowcount
            if changed == 0:
                raise no_such_turn(thread, number)

    def delete(self, thread: str) -> int:
        with self._writing() as db:
            row = db.execute(
                "delete from crag_threads where name = %s returning id", (thread,)
            ).fetchone()
            if row is None:
                raise no_such_thread(thread)
            return db.execute("delete from crag_turns where thread_id = %s", row).rowcount

    def prune(self, plan: PrunePlan, *, dry_run: bool = False) -> dict[str, list[int]]:
        query, values = prune_query(plan, ("crag_threads", "crag_turns"), "%s")
        if dry_run:
            return by_thread(self._read(query, values))
        with self._writing() as db:
            rows = db.execute(query, values).fetchall()
            db.execute("delete from crag_turns where id = any(%s)", ([row[0] for row in rows],))
        return by_thread(rows)

    def size(self) -> StoreSize:
        rows = self._read(
            """select (select count(*) from crag_threads), count(*),
                   coalesce(sum(length(body)), 0)::bigint,
                   pg_total_relation_size('crag_turns') + pg_total_relation_size('crag_threads')
               from crag_turns"""
        )
        return StoreSize(*rows[0]) if rows else StoreSize(0, 0, 0, 0)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _connected(self, *, write: bool) -> psycopg.Connection[Any] | None:
        """A connection that is alive, or None where there is nothing to read yet.

        A server restarted between two questions is noticed here, before anything was
        sent that might have been committed.
        """
        import psycopg

        if self._connection is not None:
            try:
                self._connection.execute("select 1")
            except psycopg.Error:
                self._connection.close()
                self._connection = None
        if self._connection is None:
            self._connection = connect(self._url)
        if not self._ready:
            self._ready = self._prepared(self._connection, write=write)
        return self._connection if self._ready else None

    def _prepared(self, db: psycopg.Connection[Any], *, write: bool) -> bool:
        """Whether the database holds, or now holds, our schema."""
        version = self._version(db)
        if version is None and write:
            with db.transaction():
                db.execute("select pg_advisory_xact_lock(%s)", (_SETUP_LOCK,))
                version = self._version(db)
                if version is None:
                    db.execute(_SCHEMA)
                    db.execute("insert into crag_schema values (%s)", (THREADS_SCHEMA,))
        if version is not None and version > THREADS_SCHEMA:
            raise StorageError(
                f"{place(self._url)} was written by a newer crag (schema {version}).",
                "Use that version, or another database.",
            )
        return write or version is not None

    @staticmethod
    def _version(db: psycopg.Connection[Any]) -> int | None:
        row = db.execute("select to_regclass('crag_schema') is not null").fetchone()
        if row is None or not row[0]:
            return None
        row = db.execute("select max(version) from crag_schema").fetchone()
        return None if row is None else row[0]

    def _read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._lock, postgres_failures(place(self._url)):
            db = self._connected(write=False)
            return [] if db is None else db.execute(sql, values, binary=True).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[psycopg.Connection[Any]]:
        with self._lock, postgres_failures(place(self._url)):
            db = self._connected(write=True)
            assert db is not None
            with db.transaction():
                yield db
