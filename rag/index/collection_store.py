"""What every store of collections can be asked, whichever it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from rag.index import collection_rows, contents
from rag.index.codec import decode_path
from rag.index.collection_rows import CollectionRow
from rag.index.contents import CollectionSummary, IngestedRoot, Inventory, Sql
from rag.index.protocol import FileStat, Notice
from state.errors import NoIndexError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Embedder, EmbedderIdentity
    from rag.engines.openai.cache import GradeCache
    from rag.index.collection_writer import CollectionWriter
    from rag.index.stored_reader import StoredReader
    from rag.index.transfer import Export


class Store(ABC):
    """Every method raises StorageError, StoreBusyError or RemoteStoreError where the store fails,
    and nothing foreign.
    """

    @abstractmethod
    def open_collection(
        self,
        name: str,
        embedder: Embedder,
        notice: Notice = lambda _line: None,
        *,
        files: GitIgnoreSpec | None = None,
    ) -> StoredReader:
        """The collection of this name, for reading; where `files` are given, only the documents
        whose sources match are found.

        Raises:
            NoIndexError: nothing was ingested.
            UsageError: there is no collection of this name; names the nearest.
            EmbedderMismatchError: it was embedded by another embedder.
        """

    @abstractmethod
    def open_writer(
        self,
        name: str,
        embedder: EmbedderIdentity,
        *,
        uid: str | None = None,
        wait: float = 0.0,
        notice: Notice = lambda _line: None,
    ) -> AbstractContextManager[CollectionWriter]:
        """The collection of this name, created if need be (as `uid`), locked until the block ends.
        `wait`: the seconds to wait for another writer; `notice` receives lines about repairs.

        Raises:
            StoreBusyError: another process is writing to it.
            EmbedderMismatchError: it was embedded by another embedder.
        """

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Sql]:
        """One moment of the store; raises NoIndexError where nothing was ever ingested."""

    def names(self) -> list[str]:
        """The collections, sorted; none when nothing was ingested."""
        try:
            with self._reading() as sql:
                return collection_rows.names(sql)
        except NoIndexError:
            return []

    def inventory(self, name: str) -> Inventory | None:
        """The collection of this name, or None."""
        try:
            with self._reading() as sql:
                row = collection_rows.find(sql, name)
                return None if row is None else _inventory(sql, row)
        except NoIndexError:
            return None

    def require_inventory(self, name: str) -> Inventory:
        """As `inventory`; raises as `open_collection`."""
        with self._reading() as sql:
            return _inventory(sql, collection_rows.require_row(sql, name))

    @abstractmethod
    def summaries(self) -> list[CollectionSummary]:
        """Every collection, by name; none when nothing was ingested."""

    def file_stats(self, name: str, most: int) -> tuple[int, list[tuple[str, FileStat]]]:
        """How many files of this machine are indexed, and `most` of them, the last first."""
        here, *values = self._files_here(name)
        stats = f"SELECT documents.path, size, mtime_ns, changed_ns{here}"
        with self._reading() as sql:
            (files,) = sql.execute(f"SELECT count(*){here}", values).fetchone()
            rows = sql.execute(f"{stats} ORDER BY documents.id DESC LIMIT ?", (*values, most))
            return files, [(decode_path(path), FileStat(*stat)) for path, *stat in rows]

    @abstractmethod
    def _files_here(self, name: str) -> tuple[str, ...]:
        """What selects a collection's documents that are files of this machine, and its values."""

    @abstractmethod
    def roots(self, name: str) -> list[IngestedRoot]:
        """What was ingested into the collection, by path; none where there is no such one."""

    @abstractmethod
    def delete(self, name: str) -> None:
        """Deletes a collection whole; raises as `open_writer`."""

    @abstractmethod
    def export(self, name: str) -> AbstractContextManager[Export]:
        """One moment of the collection, to be copied; raises as `require_inventory`."""

    @abstractmethod
    def grades(self) -> GradeCache: ...

    def octets(self) -> dict[str, int]:
        """Bytes on disk, by what they are kept for, where that is not in the home."""
        return {}


def _inventory(sql: Sql, row: CollectionRow) -> Inventory:
    return Inventory(
        row.name,
        row.embedder,
        contents.documents(sql, row.id),
        contents.unread(sql, row.id),
        list(contents.roots(sql, row.id)),
    )
