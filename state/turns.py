"""Finished turns and threads as values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from state.answer import Answer

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
