"""What both databases of turns are asked in the same words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from threading import RLock
from typing import Any, ClassVar, Self

from state.answer import Answer
from state.turn_codec import encode_turn
from state.turn_rows import by_thread, checked_name, prune_query, to_summary, to_turn
from state.turn_store import (
    PAGE_OF_TURNS,
    CitedFile,
    Clock,
    PrunePlan,
    ThreadSummary,
    Turn,
    no_such_thread,
    no_such_turn,
    to_micros,
)

_SELECT = """select n, created_at, milestone, body from {turns}
    where thread_id = (select id from {threads} where name = ?)"""


class SqlTurnStore(ABC):
    """A `TurnStore` less its connection and its schema.

    Queries are written with `?` and with the tables as {threads} and {turns}.
    """

    tables: ClassVar[tuple[str, str]]
    mark: ClassVar[str]

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = RLock()

    @abstractmethod
    def _read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows, or none where nothing was ever written."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[Any]:
        """A connection in a transaction that ends with the block."""

    @abstractmethod
    def _numbered(self, db: Any, thread: str, now: int) -> tuple[int, int]:
        """(the thread's key, the next number in it), made and taken if need be."""

    @abstractmethod
    def close(self) -> None: ...

    def append(
        self,
        thread: str,
        answer: Answer,
        *,
        milestone: bool = False,
        files: Mapping[str, CitedFile] | None = None,
        collection: str | None = None,
    ) -> int:
        checked_name(thread)
        with self._writing() as db:
            now = to_micros(self._clock())
            key, number = self._numbered(db, thread, now)
            kept: Answer = {**answer, "thread": thread, "turn": number}
            db.execute(
                self._sql(
                    "insert into {turns} (thread_id, n, created_at, milestone, body)"
                    " values (?, ?, ?, ?, ?)"
                ),
                (key, number, now, milestone, encode_turn(kept, files or {}, collection)),
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
        sql = _SELECT + " and n > ? and n < ?" + (" and milestone" if milestones else "")
        sql += f" order by n {'desc' if newest_first else 'asc'} limit ?"
        low, high = 0, 2**31 - 1 if before is None else before
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
        rows = self._read("select last_turn from {threads} where name = ?", (thread,))
        return int(rows[0][0]) if rows else 0

    def threads(self) -> list[ThreadSummary]:
        rows = self._read(
            """select name, last_turn, t.created_at, count(u.n), max(u.created_at),
                   sum(length(u.body)),
                   (select body from {turns} where thread_id = t.id order by n limit 1)
               from {threads} t left join {turns} u on u.thread_id = t.id
               group by t.id order by coalesce(max(u.created_at), t.created_at) desc, t.id desc"""
        )
        return [to_summary(row) for row in rows]

    def pin(self, thread: str, number: int, *, milestone: bool = True) -> None:
        with self._writing() as db:
            changed = db.execute(
                self._sql(
                    "update {turns} set milestone = ?"
                    " where n = ? and thread_id = (select id from {threads} where name = ?)"
                ),
                (milestone, number, thread),
            ).rowcount
            if changed == 0:
                raise no_such_turn(thread, number)

    def delete(self, thread: str) -> int:
        with self._writing() as db:
            row = db.execute(
                self._sql("select id from {threads} where name = ?"), (thread,)
            ).fetchone()
            if row is None:
                named = db.execute(self._sql("select name from {threads}")).fetchall()
                raise no_such_thread(thread, (str(each[0]) for each in named))
            # The thread first: whoever appends to it meanwhile waits, then starts it anew.
            db.execute(self._sql("delete from {threads} where id = ?"), row)
            turns = db.execute(self._sql("delete from {turns} where thread_id = ?"), row).rowcount
        return int(turns)

    def prune(self, plan: PrunePlan, *, dry_run: bool = False) -> dict[str, list[int]]:
        chosen, values = prune_query(plan)
        if dry_run:
            return by_thread(self._read(chosen, values))
        with self._writing() as db:
            rows = db.execute(self._sql(chosen), values).fetchall()
            for first in range(0, len(rows), 500):
                doomed = [row[0] for row in rows[first : first + 500]]
                marks = ", ".join("?" * len(doomed))
                query = f"delete from {{turns}} where id in ({marks})"  # noqa: S608 - marks alone
                db.execute(self._sql(query), doomed)
        return by_thread(rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _sql(self, query: str) -> str:
        threads, turns = self.tables
        return query.format(threads=threads, turns=turns).replace("?", self.mark)
