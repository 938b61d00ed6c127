"""What the two databases share: rows to values, and the query that picks turns to prune."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from state.errors import DamagedError, UsageError
from state.turn_codec import decode_turn
from state.turn_store import PrunePlan, ThreadSummary, Turn, from_micros, to_micros


def checked_name(thread: str) -> str:
    """The name itself, if both databases can keep it.

    Raises:
        UsageError: it is empty, or no valid Unicode.

    """
    try:
        encoded = thread.encode()
    except UnicodeEncodeError:
        raise UsageError("A thread's name must be valid Unicode.") from None
    if not encoded or b"\0" in encoded:
        raise UsageError("A thread needs a name, without NUL characters.")
    return thread


def to_turn(thread: str, row: Sequence[Any]) -> Turn:
    """`row` is (n, created_at, milestone, body)."""
    number, created_at, milestone, body = row
    kept = decode_turn(bytes(body), f"Turn {number} of thread {thread!r}")
    return Turn(thread, number, from_micros(created_at), bool(milestone), *kept)


def to_summary(row: Sequence[Any]) -> ThreadSummary:
    """`row` is (name, last_turn, created_at, turns, updated_at, bytes, first body)."""
    name, last_turn, created_at, turns, updated_at, size, first = row
    return ThreadSummary(
        name=name,
        turns=turns,
        last_turn=last_turn,
        created_at=from_micros(created_at),
        updated_at=from_micros(updated_at or created_at),
        first_question="" if first is None else _question(bytes(first)),
        bytes=int(size or 0),
    )


def _question(body: bytes) -> str:
    """A damaged turn hides no other thread."""
    try:
        return decode_turn(body).answer["question"]
    except DamagedError:
        return "(damaged)"


def prune_query(plan: PrunePlan) -> tuple[str, list[object]]:
    """A query for (turn id, thread name, n) of what the plan names, with its values."""
    doomed: list[str] = []
    values: list[object] = []
    if plan.before is not None:
        doomed.append("u.created_at < ?")
        values.append(to_micros(plan.before))
    if plan.keep is not None:
        doomed.append("u.age > ?")
        values.append(plan.keep)
    where = f"({' and '.join(doomed)})"
    if not plan.milestones:
        where += " and not u.milestone"
    if plan.thread is not None:
        where += " and t.name = ?"
        values.append(plan.thread)
    query = f"""select u.id, t.name, u.n
        from (select id, thread_id, n, created_at, milestone,
                  row_number() over (partition by thread_id order by n desc) as age
              from {{turns}}) u
        join {{threads}} t on t.id = u.thread_id where {where} order by t.id, u.n"""  # noqa: S608
    return query, values


def by_thread(rows: Iterable[Sequence[Any]]) -> dict[str, list[int]]:
    """`rows` as `prune_query` gives them."""
    pruned: dict[str, list[int]] = {}
    for _, name, number in rows:
        pruned.setdefault(name, []).append(number)
    return pruned
