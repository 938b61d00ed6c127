"""A database, a file of the home or a Postgres, asked in the same words by one connection."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import RLock
from typing import Any, Protocol

from state.closing import Closing


class Sql(Protocol):
    """Runs SQL with `$1`, `$2` … for values, as Postgres has it and SQLite can read it."""

    def execute(self, sql: str, values: Sequence[object] = (), /) -> Any: ...

    def executemany(self, sql: str, rows: Iterable[Sequence[object]], /) -> Any: ...


class Database(Closing):
    """One connection, made when it is first used; one thread's at a time.

    What fails is a StorageError or StoreBusyError, of a Postgres a RemoteStoreError.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._connection: Any = None
        self._sql: Sql | None = None
        self._depth = 0

    @abstractmethod
    def _open(self, *, write: bool) -> Sql | None:
        """What runs SQL, on a connection that works; None where there is nothing to read yet."""

    @abstractmethod
    def failures(self) -> AbstractContextManager[None]:
        """Maps whatever the database raises to a CragError."""

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[Any]: ...

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Any]: ...

    @abstractmethod
    def disk_bytes(self) -> int:
        """What the disk or the server is taken of."""

    def connected(self, *, write: bool = True) -> Any:
        """The connection itself, inside `failures` of the caller; None, where nothing was ever kept
        and nothing is to be written.
        """
        with self._lock:
            return None if self._open(write=write) is None else self._connection

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """What runs SQL, all of it on one moment; None where nothing was ever kept. Nests."""
        with self._lock, self.failures(), ExitStack() as moment:
            if not self._depth:
                self._sql = self._open(write=False)
                if self._sql is not None:
                    moment.enter_context(self._snapshot())
            self._depth += 1
            try:
                yield self._sql
            finally:
                self._depth -= 1

    @property
    def nested(self) -> bool:
        """Whether this is a reading within another."""
        return self._depth > 1

    @contextmanager
    def writing(self) -> Iterator[Any]:
        """What runs SQL, in a transaction that ends with the block."""
        with self._lock, self.failures():
            self._sql = self._open(write=True)
            with self._transaction():
                yield self._sql

    def read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self.reading() as db:
            rows: list[tuple[Any, ...]] = [] if db is None else db.execute(sql, values).fetchall()
        return rows

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
