"""One connection to a SQLite file of the home or to Postgres, with the same SQL for both; and JSON
records as they are kept there, compressed with zlib.
"""

from __future__ import annotations

import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import RLock
from typing import Any, Protocol

from state.closing import Closing
from state.errors import DamagedError


class Sql(Protocol):
    """Runs SQL with the placeholders `$1`, `$2` …, which are Postgres's own."""

    def execute(self, sql: str, values: Sequence[object] = (), /) -> Any: ...

    def executemany(self, sql: str, rows: Iterable[Sequence[object]], /) -> Any: ...


class Database(Closing, ABC):
    """One connection, opened on first use and used by one thread at a time.

    Failures are raised as StorageError or StoreBusyError, of Postgres as RemoteStoreError.
    """

    sizes: str
    """A query of the bytes that it takes on the disk or on the server."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._connection: Any = None
        self._sql: Sql | None = None
        self._depth = 0

    @abstractmethod
    def _open(self, *, write: bool) -> Sql | None:
        """A `Sql` on a working connection; None if nothing is stored yet and `write` is False."""

    @abstractmethod
    def failures(self) -> AbstractContextManager[None]:
        """Maps whatever the database raises to a CragError."""

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[Any]: ...

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Any]:
        """All that is done inside, or nothing, on a connection that is open."""

    def connected(self, *, write: bool = True) -> Any:
        """The connection itself, for use inside `failures`; None if nothing is stored yet and
        `write` is False.
        """
        with self._lock:
            return None if self._open(write=write) is None else self._connection

    @contextmanager
    def reading(self) -> Iterator[Any]:
        """A `Sql` that reads one snapshot; None if nothing is stored yet. Blocks may nest."""
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
        """Whether the current `reading` block is inside another one."""
        return self._depth > 1

    @contextmanager
    def writing(self) -> Iterator[Any]:
        """A `Sql` in a transaction that ends with the block, in which `read` must not be called."""
        with self._lock, self.failures():
            self._sql = self._open(write=True)
            with self.transaction():
                yield self._sql

    def read(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self.reading() as db:
            rows: list[tuple[Any, ...]] = [] if db is None else db.execute(sql, values).fetchall()
        return rows

    def disk_bytes(self) -> int:
        return sum(size for (size,) in self.read(self.sizes))

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def deflate_json(record: Mapping[str, object]) -> bytes:
    """The bytes to keep; `inflate_json` gives back exactly what went in."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"))


def inflate_json(body: bytes, what: str, hint: str) -> dict[str, Any]:
    """The record; errors call it `what`.

    Raises:
        DamagedError: it is not what was written; `hint` says what to do.
    """
    try:
        record: dict[str, Any] = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
    except (zlib.error, ValueError):
        raise DamagedError(f"{what} is damaged.", hint) from None
    return record
