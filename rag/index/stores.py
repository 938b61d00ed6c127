"""Where collections are kept: in the home, or in a shared Postgres that the settings name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.index.collection_store import Store
from rag.index.local_store import LocalStore
from state.settings import Settings

if TYPE_CHECKING:
    from rag.index.postgres.store import PostgresStore


def store_of(settings: Settings) -> LocalStore | PostgresStore:
    """Nothing is opened or connected before its first use."""
    if settings.store is None:
        return LocalStore(settings.home, settings.chroma_url)
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
