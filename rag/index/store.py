"""The interface of a store of collections: of the home, or of a shared Postgres."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from rag.index import collection_rows
from rag.index.collection_rows import CollectionContents, CollectionRow, CollectionSummary
from rag.index.protocol import Notice
from state.closing import closed_on_failure
from state.database import Database, Sql

if TYPE_CHECKING:
    from rag.index.queries import IndexQueries
    from rag.index.reader import CollectionReader
    from rag.index.writer import CollectionWriter


class Store(ABC):
    """Every method raises StorageError, StoreBusyError or RemoteStoreError where the store fails,
    and nothing foreign. What searches is imported when it is asked for.
    """

    host = ""
    """The machine whose files are ingested, noted with each root; "" where only one uses it."""

    @abstractmethod
    def database(self) -> Database:
        """A new connection for questions."""

    @abstractmethod
    def _queries(self, sql: Sql, row: CollectionRow, notice: Notice) -> IndexQueries: ...

    @abstractmethod
    def locked(self, name: str, *, create: bool = False) -> AbstractContextManager[Any]:
        """Locks the collection of this name until the block ends, and gives the database, whose
        tables `create` makes. Raises as `open_writer`, or NoIndexError.
        """

    @abstractmethod
    def _writer(self, database: Any, row: CollectionRow, notice: Notice) -> CollectionWriter: ...

    def _mend(self, sql: Any, row: CollectionRow, notice: Notice) -> None:  # noqa: B027
        """Builds again the indexes of a collection that need it; inside a transaction."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Deletes a collection whole; raises as `open_writer`."""

    def disk_bytes(self) -> int:
        """Bytes that it takes beside the home."""
        return 0

    def open_collection(self, name: str, notice: Notice = lambda _line: None) -> CollectionReader:
        """The collection of this name, for reading.

        Raises:
            NoIndexError: nothing was ingested.
            UsageError: there is no collection of this name; names the nearest.
            EmbedderMismatchError: it was embedded by another embedder.
        """
        from rag.index.reader import CollectionReader

        with closed_on_failure(self.database()) as database:
            return CollectionReader(
                database, name, lambda sql, row: self._queries(sql, row, notice)
            )

    @contextmanager
    def open_writer(
        self, name: str, notice: Notice = lambda _line: None
    ) -> Iterator[CollectionWriter]:
        """The collection of this name, created if need be, locked until the block ends; `notice`
        receives lines about repairs.

        Raises:
            StoreBusyError: another process is writing to it.
            EmbedderMismatchError: it was embedded by another embedder.
        """
        with self.locked(name, create=True) as database:
            with database.writing() as sql:
                row = collection_rows.get_or_create(sql, name)
                self._mend(sql, row, notice)
            writer = self._writer(database, row, notice)
            yield writer
            writer.finish()

    def names(self) -> list[str]:
        """The collections, sorted; none when nothing was ingested."""
        with self.database() as database, database.reading() as sql:
            return [] if sql is None else collection_rows.names(sql)

    @contextmanager
    def contents(self, name: str) -> Iterator[CollectionContents]:
        """A snapshot of the collection; raises as `open_collection`."""
        with self.database() as database, database.reading() as sql:
            if sql is None:
                raise collection_rows.nothing_ingested()
            yield CollectionContents(sql, collection_rows.require(sql, name))

    def summaries(self) -> list[CollectionSummary]:
        """Every collection, by name; none when nothing was ingested."""
        with self.database() as database, database.reading() as sql:
            names = [] if sql is None else collection_rows.names(sql)
            rows = [collection_rows.require(sql, name) for name in names]
            return [CollectionContents(sql, row).summary() for row in rows]
