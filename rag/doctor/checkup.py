"""All checks in order, and all repairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rag.doctor.catalog_check import check_catalog, mend_catalog
from rag.doctor.databases import check_databases
from rag.doctor.home import check_home
from rag.doctor.indexes import check_collections, repair_collections
from rag.doctor.models import check_models
from rag.doctor.part_check import Check
from rag.doctor.salvage import salvage_databases
from rag.doctor.shared_store import check_store, repair_store
from rag.index.local_store import LocalStore
from rag.index.stores import store_of
from rag.opening import build_embedder
from state.settings import Settings


def examine(settings: Settings) -> Iterator[Check]:
    """Every part; what depends on a part that is not well is left out."""
    yield from check_home(settings.home)
    catalog = check_catalog(settings.home)
    yield catalog
    yield from check_databases(settings.home)
    embedder = build_embedder(settings)
    yield from check_models(settings, embedder)
    store = store_of(settings)
    if not isinstance(store, LocalStore):
        yield from check_store(store, embedder.identity)
    elif catalog.ok:
        yield from check_collections(settings.home, embedder.identity)


def repair(settings: Settings, tell: Callable[[str], None]) -> None:
    """Mend what can be mended without a model and without losing anything that is whole.

    Raises:
        StoreBusyError: an ingest is at work.
        StorageError: the catalog itself is damaged, or the disk full.

    """
    salvage_databases(settings.home, tell)
    mend_catalog(settings.home, tell)
    repair_collections(settings.home, tell)
    store = store_of(settings)
    if not isinstance(store, LocalStore):
        repair_store(store, tell)
