"""Where collections are kept: in the home, or in a shared Postgres that the settings name."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from rag.index.local_store import LocalStore
from rag.index.protocol import CollectionWriter, Notice
from state.settings import Settings

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Embedder, EmbedderIdentity
    from rag.engines.openai.cache import GradeCache
    from rag.index.candidates import CandidateReader
    from rag.index.export import Export
    from rag.index.inventory import CollectionSummary, FileTime, IngestedRoot, Inventory
    from rag.index.postgres.store import PostgresStore


class Store(Protocol):
    """Every method raises StorageError, StoreBusyError or RemoteStoreError where the store fails,
    and nothing foreign.
    """

    def open_collection(
        self,
        name: str,
        embedder: Embedder,
        notice: Notice = ...,
        *,
        files: GitIgnoreSpec | None = None,
    ) -> CandidateReader:
        """The collection of this name, for reading; where `files` are given, only the documents
        whose sources match are found.

        Raises:
            NoIndexError: nothing was ingested.
            UsageError: there is no collection of this name; names the nearest.
            EmbedderMismatchError: it was embedded by another embedder.
        """

    def open_writer(
        self,
        name: str,
        embedder: EmbedderIdentity,
        *,
        uid: str | None = None,
        wait: float = 0.0,
        notice: Notice = ...,
    ) -> AbstractContextManager[CollectionWriter]:
        """The collection of this name, created if need be (as `uid`), locked until the block ends.
        `wait`: the seconds to wait for another writer; `notice` receives lines about repairs.

        Raises:
            StoreBusyError: another process is writing to it.
            EmbedderMismatchError: it was embedded by another embedder.
        """

    def names(self) -> list[str]:
        """The collections, sorted; none when nothing was ingested."""

    def inventory(self, name: str) -> Inventory | None:
        """The collection of this name, or None."""

    def require_inventory(self, name: str) -> Inventory:
        """As `inventory`; raises as `open_collection`."""

    def summaries(self) -> list[CollectionSummary]:
        """Every collection, by name; none when nothing was ingested."""

    def file_times(self, name: str, most: int) -> tuple[int, list[FileTime]]:
        """How many files of this machine are indexed, and `most` of them, the last first."""

    def roots(self, name: str) -> list[IngestedRoot]:
        """What was ingested into the collection, by path; none where there is no such one."""

    def delete(self, name: str) -> None:
        """Deletes a collection whole; raises as `open_writer`."""

    def export(self, name: str) -> AbstractContextManager[Export]:
        """One moment of the collection, to be copied; raises as `require_inventory`."""

    def grades(self) -> GradeCache: ...

    def octets(self) -> dict[str, int]:
        """Bytes on disk, by what they are kept for."""


def store_of(settings: Settings) -> LocalStore | PostgresStore:
    """Nothing is opened or connected before its first use."""
    if settings.store is None:
        return LocalStore(settings.home, settings.exact_chunks)
    from rag.index.postgres.store import PostgresStore

    return PostgresStore(settings.store, settings.store_schema, settings.store_read)


def all_sources(store: Store, names: Sequence[str]) -> list[str]:
    """The sources of these collections, sorted, as citations call them.

    Raises:
        StorageError, RemoteStoreError: the store cannot be read.
    """
    found = []
    for name in names:
        inventory = store.inventory(name)
        before = f"{name}:" if len(names) > 1 else ""
        documents = inventory.documents if inventory is not None else []
        found += [before + document.source for document in documents]
    return sorted(found)
