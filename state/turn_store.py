"""The append-only store of finished turns: what a thread keeps for ever."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, Self, TypedDict

from state.answer import Answer
from state.errors import UsageError
from state.nearest import did_you_mean

THREADS_FILE = "threads.db"
THREADS_SCHEMA = 1
PAGE_OF_TURNS = 16

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970, the stored form of a moment in both databases."""
    return round(moment.timestamp() * 1_000_000)


def from_micros(stored: int) -> datetime:
    return datetime.fromtimestamp(stored / 1_000_000, UTC)


class CitedFile(TypedDict):
    """The file behind a cited source, and the hash of its bytes when it was indexed."""

    path: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One finished turn. `answer` is exactly what was shown, with `thread` and `turn` set;
    `files` has the file of each cited source that was one; `collection` is what was asked, None
    in turns of earlier versions.
    """

    thread: str
    number: int
    created_at: datetime
    milestone: bool
    answer: Answer
    files: Mapping[str, CitedFile] = field(default_factory=dict)
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class ThreadSummary:
    """A thread at a glance; `bytes` is what its turns take in the store."""

    name: str
    turns: int
    last_turn: int
    created_at: datetime
    updated_at: datetime
    first_question: str
    bytes: int


@dataclass(frozen=True, slots=True)
class StoreSize:
    """`disk_bytes` is what the operating system or the server charges for the whole store."""

    threads: int
    turns: int
    turn_bytes: int
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """Which turns to remove: those before `before`, those beyond the newest `keep` of their
    thread, or, where both are given, those that are both. Milestones stay unless `milestones`
    is True.
    """

    before: datetime | None = None
    keep: int | None = None
    thread: str | None = None
    milestones: bool = False

    def __post_init__(self) -> None:
        if self.before is None and self.keep is None:
            raise UsageError(
                "Pruning needs an age or a number of turns to keep.", "Add --days N or --keep N."
            )
        if self.keep is not None and self.keep < 0:
            raise UsageError("The number of turns to keep cannot be negative.")


class TurnStore(Protocol):
    """Turns by thread, numbered 1, 2, 3 … in the order they were finished.

    Safe for several threads, processes and (Postgres) machines at once. A number is never
    given twice in the life of a thread, even after pruning. An unknown thread has no turns.

    Every method raises StorageError (full, read-only or damaged disk, later schema),
    StoreBusyError (another process held the file for too long) or RemoteStoreError
    (Postgres unreachable or failed), and nothing foreign.
    """

    def append(
        self,
        thread: str,
        answer: Answer,
        *,
        milestone: bool = False,
        files: Mapping[str, CitedFile] | None = None,
        collection: str | None = None,
    ) -> int:
        """Keep a finished turn, whole or not at all; returns its number."""

    def turns(
        self,
        thread: str,
        *,
        newest_first: bool = False,
        before: int | None = None,
        limit: int | None = None,
        milestones: bool = False,
    ) -> Iterator[Turn]:
        """Turns read as they are asked for; those numbered below `before` only, at most
        `limit`, and only the pinned ones where `milestones` is True. Holds no lock between
        two turns.
        """

    def turn(self, thread: str, number: int) -> Turn:
        """One turn.

        Raises:
            UsageError: there is no such turn.

        """

    def last_turn(self, thread: str) -> int:
        """The number last given in the thread, 0 for an unknown one."""

    def threads(self) -> list[ThreadSummary]:
        """Every thread, the one used last first."""

    def pin(self, thread: str, number: int, *, milestone: bool = True) -> None:
        """Mark a turn as a milestone, or take the mark away.

        Raises:
            UsageError: there is no such turn.

        """

    def delete(self, thread: str) -> int:
        """Forget a whole thread; returns how many turns it had.

        Raises:
            UsageError: there is no such thread.

        """

    def prune(self, plan: PrunePlan, *, dry_run: bool = False) -> dict[str, list[int]]:
        """Remove the turns the plan names and return their numbers by thread; a dry run
        removes nothing.
        """

    def size(self) -> StoreSize: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc: object) -> None: ...


def open_turn_store(
    home: Path, url: str | None = None, schema: str | None = None, *, clock: Clock = utc_now
) -> TurnStore:
    """The turns of this CRAG_HOME, or of a schema of the Postgres at `url`. Connects at the first
    use.

    Raises:
        UsageError: the URL is none of Postgres.

    """
    if url is None:
        from state.threads_sqlite import SqliteTurnStore

        return SqliteTurnStore(home / THREADS_FILE, clock)
    from state.threads_postgres import PostgresTurnStore

    return PostgresTurnStore(url, clock, schema=schema)


def memory_turn_store(clock: Clock = utc_now) -> TurnStore:
    """A store that lives as long as its object."""
    from state.threads_sqlite import SqliteTurnStore

    return SqliteTurnStore(None, clock)


def no_such_turn(thread: str, number: int) -> UsageError:
    return UsageError(
        f"Thread {thread!r} has no turn {number}.", "`crag threads list` shows what there is."
    )


def no_such_thread(thread: str, names: Iterable[str] = ()) -> UsageError:
    hint = did_you_mean(thread, names, "`crag threads list` shows all of them.")
    return UsageError(f"There is no thread {thread!r}.", hint)
