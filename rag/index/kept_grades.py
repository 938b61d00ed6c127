"""A model's grades, kept in a store so that the same question asked again costs less."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress

from rag.index.catalog import rows_of_many
from rag.index.contents import Sql
from state.errors import StoreBusyError

MOST_KEPT = 50_000
NOW = "(julianday('now') - 2440587.5) * 86400"
"""In seconds since 1970, in SQLite's words."""


class KeptGrades:
    """A GradeCache over a table of the store; keys are hexadecimal digests. A question never waits
    for an ingest: while another process writes, nothing is kept.
    """

    def __init__(
        self,
        reading: Callable[[], AbstractContextManager[Sql]],
        writing: Callable[[], AbstractContextManager[Sql | None]],
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """`writing`: one transaction; None where nothing can be kept now."""
        self._reading = reading
        self._writing = writing
        self.close = close

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        """The values of those keys that are held.

        Raises:
            NoIndexError, StorageError, RemoteStoreError: there is no store, or it is damaged.
        """
        query = "SELECT key, grade FROM grades WHERE key IN ({some})"
        with self._reading() as sql:
            rows = rows_of_many(sql, query, list(map(bytes.fromhex, keys)))
        return {key.hex(): grade for key, grade in rows}

    def put(self, entries: Mapping[str, str]) -> None:
        """Keeps the entries; beyond the limit those that were kept first go. Their `used` is when
        that was: reading one writes nothing. Raises as `get`.
        """
        if not entries:
            return
        values = [each for key in sorted(entries) for each in (bytes.fromhex(key), entries[key])]
        with suppress(StoreBusyError), self._writing() as sql:
            if sql is None:
                return
            sql.execute(
                "INSERT INTO grades (key, grade, used) VALUES"
                f" {','.join([f'(?, ?, {NOW})'] * len(entries))}"
                " ON CONFLICT (key) DO UPDATE SET grade = excluded.grade, used = excluded.used",
                values,
            )
            sql.execute(
                "DELETE FROM grades WHERE key NOT IN"
                " (SELECT key FROM grades ORDER BY used DESC LIMIT ?)",
                (MOST_KEPT,),
            )
