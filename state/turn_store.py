"""Finished turns and threads, and their append-only store, in a home's database or a team's, which
run the same SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from state.answer import Answer
from state.closing import Closing
from state.database import Database, deflate_json, inflate_json
from state.errors import UsageError
from state.wording import storable

_HINT = "Restore the threads from a backup, or delete the thread."

_SELECT = """select n, created_at, milestone, body from crag_turns
    where thread_id = (select id from crag_threads where name = $1)"""

_NUMBERS = """select n, milestone from crag_turns
    where thread_id = (select id from crag_threads where name = $1) order by n desc"""

_NUMBERED = """insert into crag_threads as t (name, created_at, last_turn) values ($1, $2, 1)
    on conflict (name) do update set last_turn = t.last_turn + 1 returning id, last_turn"""

# The turns that are pruned, as (turn's id, thread's name, n).
_PRUNED = """select u.id, t.name, u.n
    from (select id, thread_id, n, created_at, milestone,
              row_number() over (partition by thread_id order by n desc) as age
          from crag_turns) u
    join crag_threads t on t.id = u.thread_id
    where (cast($1 as bigint) is null or u.created_at < cast($1 as bigint))
      and (cast($2 as bigint) is null or u.age > cast($2 as bigint))
      and u.milestone = 0
    order by t.id, u.n"""

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970, the stored form of a moment in both databases."""
    return round(moment.timestamp() * 1_000_000)


def from_micros(stored: int) -> datetime:
    return datetime.fromtimestamp(stored / 1_000_000, UTC)


@dataclass(frozen=True, slots=True)
class Turn:
    """One finished turn. `answer` is exactly what was shown, with `thread` and `turn` set;
    `collection` is the one that was asked.
    """

    thread: str
    number: int
    created_at: datetime
    milestone: bool
    answer: Answer
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class ThreadSummary:
    """A thread at a glance; `bytes` is the size of its turns in the store."""

    name: str
    turns: int
    last_turn: int
    created_at: datetime
    updated_at: datetime
    first_question: str
    bytes: int


@dataclass(frozen=True, slots=True)
class StoreSize:
    """`disk_bytes` is the size of the whole store, as the system or the server tells it."""

    threads: int
    turns: int
    turn_bytes: int
    disk_bytes: int


class TurnStore(Closing):
    """Turns by thread, numbered 1, 2, 3 … in the order they were finished.

    It may be used by several threads, processes and (with Postgres) machines at once. A number is
    never given twice in the life of a thread, even after pruning. An unknown thread has no turns.
    Raises what `Database` raises.
    """

    def __init__(self, database: Database, clock: Clock = utc_now) -> None:
        self._database = self._held.enter_context(database)
        self._clock = clock

    def size(self) -> StoreSize:
        found = self.threads()
        turns, octets = sum(each.turns for each in found), sum(each.bytes for each in found)
        return StoreSize(len(found), turns, octets, self._database.disk_bytes())

    def append(
        self, thread: str, answer: Answer, *, milestone: bool = False, collection: str | None = None
    ) -> int:
        """Keep a finished turn, whole or not at all; returns its number."""
        with self._database.writing() as db:
            now = to_micros(self._clock())
            question = storable(answer["question"])
            row: tuple[int, int] = db.execute(_NUMBERED, (thread, now)).fetchone()
            key, number = row
            kept = {
                "answer": {**answer, "thread": thread, "turn": number},
                "collection": collection,
            }
            db.execute(
                "insert into crag_turns (thread_id, n, created_at, milestone, question, body)"
                " values ($1, $2, $3, $4, $5, $6)",
                (key, number, now, int(milestone), question, deflate_json(kept)),
            )
        return number

    def turns(self, thread: str) -> Iterator[Turn]:
        """Yields every turn, oldest first."""
        return self._read(thread, "order by n")

    def newest(self, thread: str) -> Turn | None:
        return next(self._read(thread, "order by n desc limit 1"), None)

    def turn(self, thread: str, number: int) -> Turn:
        """One turn; raises UsageError if there is none of that number."""
        found = next(self._read(thread, "and n = $2", number), None)
        if found is None:
            raise UsageError(f"Thread {thread!r} has no turn {number}.")
        return found

    def _read(self, thread: str, which: str, *values: int) -> Iterator[Turn]:
        rows = self._database.read(f"{_SELECT} {which}", (thread, *values))
        for number, at, milestone, body in rows:
            kept = inflate_json(body, f"Turn {number} of thread {thread!r}", _HINT)
            yield Turn(thread, number, from_micros(at), bool(milestone), **kept)

    def numbers(self, thread: str) -> list[tuple[int, bool]]:
        """Each turn's number and whether it is a milestone, newest first; no answer is read."""
        return [(n, bool(milestone)) for n, milestone in self._database.read(_NUMBERS, (thread,))]

    def last_turn(self, thread: str) -> int:
        """The last number given in the thread; 0 for an unknown thread."""
        rows = self._database.read("select last_turn from crag_threads where name = $1", (thread,))
        return int(rows[0][0]) if rows else 0

    def threads(self) -> list[ThreadSummary]:
        """Every thread, the one used last first."""
        rows = self._database.read(
            """select name, count(u.n), last_turn, t.created_at,
                   coalesce(max(u.created_at), t.created_at),
                   coalesce((select question from crag_turns where thread_id = t.id
                       order by n limit 1), ''),
                   coalesce(sum(length(u.body)), 0)
               from crag_threads t left join crag_turns u on u.thread_id = t.id
               group by t.id order by 5 desc, t.id desc"""
        )
        return [
            ThreadSummary(name, turns, last, from_micros(began), from_micros(used), first, size)
            for name, turns, last, began, used, first, size in rows
        ]

    def delete(self, thread: str) -> int:
        """Forget a whole thread and return how many turns it had."""
        with self._database.writing() as db:
            # The thread first: whoever appends to it meanwhile waits, then starts it anew.
            gone = "delete from crag_threads where name = $1 returning id"
            row = db.execute(gone, (thread,)).fetchone() or (None,)
            turns = db.execute("delete from crag_turns where thread_id = $1", row).rowcount
        return int(turns)

    def prune(
        self, *, before: datetime | None = None, keep: int | None = None, dry_run: bool = False
    ) -> dict[str, list[int]]:
        """Remove the turns before `before`, those beyond the newest `keep` of their thread, or, if
        both are given, only those that are both; no milestones, and on a dry run none. Returns
        their numbers by thread.

        Raises:
            UsageError: neither is given, which would be all.
        """
        if before is None and keep is None:
            raise UsageError("Pruning needs an age or a number.", "Add --days N or --keep N.")
        moment = None if before is None else to_micros(before)
        values = moment, keep
        if dry_run:
            rows = self._database.read(_PRUNED, values)
        else:
            with self._database.writing() as db:
                rows = db.execute(_PRUNED, values).fetchall()
                db.executemany("delete from crag_turns where id = $1", [row[:1] for row in rows])
        pruned: dict[str, list[int]] = {}
        for _, name, number in rows:
            pruned.setdefault(name, []).append(number)
        return pruned
