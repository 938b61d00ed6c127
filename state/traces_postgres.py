"""Traces in a shared store, for several machines."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from state.postgres import Worded, connect, place, postgres_failures
from state.trace_bounds import TraceBounds
from state.trace_store import TraceStore

_WORDS = (
    ("instr(", "0 < strpos("),
    (" is coalesce(", " is not distinct from coalesce("),
)


class PostgresTraceStore(TraceStore):
    """As at home, in the table `traces` that the store was made with."""

    def __init__(self, url: str, schema: str | None, bounds: TraceBounds | None = None) -> None:
        self._url, self._schema = url, schema
        self._bounds = bounds or TraceBounds()
        self._db: Worded | None = None

    def close(self) -> None:
        if self._db is not None:
            self._db.connection.close()
            self._db = None

    def _failures(self) -> AbstractContextManager[None]:
        return postgres_failures(place(self._url))

    def _transaction(self, db: Worded) -> AbstractContextManager[Any]:
        return db.connection.transaction()

    def _shrink(self, db: Worded) -> None:
        """The server's own matter."""

    def _writable(self) -> Worded:
        if self._db is None or self._db.connection.closed:
            self._db = Worded(connect(self._url, self._schema), _WORDS)
        return self._db

    def _readable(self) -> Worded | None:
        return self._writable()
