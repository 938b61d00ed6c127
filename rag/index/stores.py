"""Where collections are kept: in the home, or in a shared Postgres that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.index.home.store import HomeStore
from state.settings import Settings

if TYPE_CHECKING:
    from rag.index.postgres.store import PostgresStore


def store_of(settings: Settings) -> HomeStore | PostgresStore:
    """Nothing is opened or connected before its first use."""
    if settings.store is None:
        return HomeStore(settings.home, settings.chroma_url)
    from rag.index.postgres.store import PostgresStore

    return PostgresStore(settings.store, settings.store_schema, settings.store_read)
