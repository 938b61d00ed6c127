"""A model's grades, kept in the catalog so that the same question asked again costs less."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from rag.index.catalog import opened, rows_of_many
from state.errors import StoreBusyError
from state.sqlite_file import transaction

MOST_KEPT = 50_000
_PATIENCE_MS = 250


class KeptGrades:
    """A GradeCache over the catalog's table; keys are hexadecimal digests.

    A question never waits for an ingest: while another process writes, nothing is kept.
    """

    def __init__(self, home: Path, most: int = MOST_KEPT) -> None:
        self._home = home
        self._most = most

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The values of those keys that are held.

        Raises:
            NoIndexError, StorageError: there is no catalog, or it is damaged.
        """
        query = "SELECT key, grade FROM grades WHERE key IN ({some})"
        with self._open() as connection:
            rows = rows_of_many(connection, query, list(map(bytes.fromhex, keys)))
            return {key.hex(): grade for key, grade in rows}

    def put(self, entries: Mapping[str, str]) -> None:
        """Keeps the entries; beyond the limit those that were kept first go. Their `used` is when
        that was: reading one writes nothing.

        Raises:
            NoIndexError, StorageError: there is no catalog, or it cannot be written.
        """
        now = time.time()
        rows = [(bytes.fromhex(key), value, now) for key, value in entries.items()]
        if not rows:
            return
        try:
            with self._open() as connection, transaction(connection):
                connection.executemany(
                    "INSERT OR REPLACE INTO grades (key, grade, used) VALUES (?, ?, ?)", rows
                )
                connection.execute(
                    "DELETE FROM grades WHERE key IN"
                    " (SELECT key FROM grades ORDER BY used DESC LIMIT -1 OFFSET ?)",
                    (self._most,),
                )
        except StoreBusyError:
            return

    def close(self) -> None:
        """It holds nothing open."""

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with opened(self._home) as connection:
            connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
            yield connection
