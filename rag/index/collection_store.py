"""What every store of collections can be asked, whichever it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING

from rag.index import collection_rows
from rag.index.codec import decode_path
from rag.index.collection_rows import CollectionRow
from rag.index.contents import CollectionSummary, Contents, IngestedRoot, Inventory, Sql
from rag.index.protocol import FileStat, Notice
from state.errors import NoIndexError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Embedder, EmbedderIdentity
    from rag.engines.openai.cache import GradeCache
    from rag.index.collection_writer import CollectionWriter
    from rag.index.stored_reader import StoredReader


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
        with suppress(NoIndexError), self._reading() as sql:
            return collection_rows.names(sql)
        return []

    def inventory(self, name: str) -> Inventory | None:
        """The collection of this name, or None."""
        with suppress(NoIndexError), self._reading() as sql:
            row = collection_rows.find(sql, name)
            return None if row is None else _inventory(sql, row)
        return None

    def require_inventory(self, name: str) -> Inventory:
        """As `inventory`; raises as `open_collection`."""
        with self._reading() as sql:
            return _inventory(sql, collection_rows.require_row(sql, name))

    def summaries(self) -> list[CollectionSummary]:
        """Every collection, by name; none when nothing was ingested."""
        with suppress(NoIndexError), self._reading() as sql:
            rows = [collection_rows.require_row(sql, name) for name in collection_rows.names(sql)]
            return [_summary(sql, row) for row in rows]
        return []

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

    def roots(self, name: str) -> list[IngestedRoot]:
        """What was ingested into the collection, by path; none where there is no such one."""
        here, *values = self._host_is_here
        with suppress(NoIndexError), self._reading() as sql:
            rows = sql.execute(
                f"SELECT path, options, {here} FROM roots JOIN collections"
                " ON collections.id = collection_id WHERE name = ? ORDER BY path",
                (*values, name),
            )
            return [
                IngestedRoot(decode_path(path), options, bool(is_here))
                for path, options, is_here in rows
            ]
        return []

    @property
    def _host_is_here(self) -> tuple[str, ...]:
        """What tells that a root is a folder or file of this machine, and its values."""
        return ("1",)

    @abstractmethod
    def delete(self, name: str) -> None:
        """Deletes a collection whole; raises as `open_writer`."""

    @abstractmethod
    def grades(self) -> GradeCache: ...

    def octets(self) -> dict[str, int]:
        """Bytes on disk, by what they are kept for, where that is not in the home."""
        return {}


def _summary(sql: Sql, row: CollectionRow) -> CollectionSummary:
    held = Contents(sql, row.id)
    failed = [file.failed for file in held.unread()]
    return CollectionSummary(
        row.name,
        row.embedder,
        *held.totals(),
        failed=sum(failed),
        skipped=len(failed) - sum(failed),
        roots=list(held.roots()),
    )


def _inventory(sql: Sql, row: CollectionRow) -> Inventory:
    held = Contents(sql, row.id)
    return Inventory(row.name, row.embedder, held.documents(), held.unread(), list(held.roots()))
