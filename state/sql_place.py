"""Rows kept in a file of the home or in a Postgres, and asked for in SQLite's words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import RLock
from typing import Any

from state.closing import Closing


class SqlPlace(Closing):
    """One connection, made when it is first used; one thread's at a time.

    What fails is a StorageError or StoreBusyError, of a Postgres a RemoteStoreError.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._connection: Any = None

    @abstractmethod
    def _open(self, *, write: bool) -> Any:
        """The connection; None where there is nothing to read yet."""

    @abstractmethod
    def failures(self) -> AbstractContextManager[None]:
        """Maps whatever the database raises to a CragError."""

    @abstractmethod
    def disk_bytes(self) -> int:
        """What the disk or the server is taken of."""

    @abstractmethod
    def _transaction(self, db: Any) -> AbstractContextManager[Any]: ...

    def connected(self) -> Any:
        """The connection itself, to write on; inside `failures` of the caller."""
        with self._lock:
            self._open(write=True)
            return self._connection

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """What runs SQL; None where nothing was ever kept."""
        with self._lock, self.failures():
            yield self._open(write=False)

    @contextmanager
    def writing(self) -> Iterator[Any]:
        """What runs SQL, in a transaction that ends with the block."""
        with self._lock, self.failures():
            db = self._open(write=True)
            with self._transaction(db):
                yield db

    def read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self.reading() as db:
            rows: list[tuple[Any, ...]] = [] if db is None else db.execute(sql, values).fetchall()
        return rows

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
