"""Traces in a shared store, for several machines."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from state.postgres import connect, place, postgres_failures
from state.trace_bounds import TraceBounds
from state.trace_store import TraceStore

if TYPE_CHECKING:
    import psycopg

_WORDS = (
    ("?", "%s"),
    ("instr(", "0 < strpos("),
    (" is coalesce(", " is not distinct from coalesce("),
)
"""What the two databases say in other words."""


class PostgresTraceStore(TraceStore):
    """As at home, in the table `traces` that the store was made with."""

    def __init__(self, url: str, schema: str | None, bounds: TraceBounds | None = None) -> None:
        self._url, self._schema = url, schema
        self._bounds = bounds or TraceBounds()
        self._db: _Asked | None = None

    def close(self) -> None:
        if self._db is not None:
            self._db.connection.close()
            self._db = None

    def _failures(self) -> AbstractContextManager[None]:
        return postgres_failures(place(self._url))

    def _transaction(self, db: _Asked) -> AbstractContextManager[Any]:
        return db.connection.transaction()

    def _shrink(self, db: _Asked) -> None:
        """The server's own matter."""

    def _writable(self) -> _Asked:
        if self._db is None or self._db.connection.closed:
            self._db = _Asked(connect(self._url, self._schema))
        return self._db

    def _readable(self) -> _Asked | None:
        return self._writable()


class _Asked:
    """A connection that takes SQLite's words."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection

    def execute(self, sql: str, values: Sequence[object] = ()) -> psycopg.Cursor[Any]:
        for there, here in _WORDS:
            sql = sql.replace(there, here)
        return self.connection.execute(sql.encode(), values)
