"""All checks in order, first of the home itself, and all repairs."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from rag.doctor.databases import check_catalog, check_databases
from rag.doctor.indexes import check_collections, check_store, repair_collections, repair_store
from rag.doctor.models import check_models
from rag.doctor.part_check import Check, ill, well
from rag.index.local_store import LocalStore
from rag.index.stores import store_of
from rag.opening import build_embedder
from state.settings import Settings

LEAST_FREE = 500 << 20
_WRITABLE = "Make it writable, or choose another --home"


def examine(settings: Settings) -> Iterator[Check]:
    """Every part; what depends on a part that is not well is left out."""
    yield from _check_home(settings.home)
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


def repair(settings: Settings, report: Callable[[str], None]) -> None:
    """Mend what can be mended without a model and without losing anything that is whole.

    Raises:
        StoreBusyError: an ingest is at work.
        StorageError: the catalog itself is damaged, or the disk full.
    """
    repair_collections(settings.home, report)
    store = store_of(settings)
    if not isinstance(store, LocalStore):
        repair_store(store, report)


def _check_home(home: Path) -> Iterator[Check]:
    """Looks only; a home that does not exist yet is well if it can be made."""
    existing = next(path for path in (home, *home.parents) if path.exists())
    try:
        tempfile.TemporaryFile(dir=existing).close()
    except OSError as error:
        yield ill("home", f"{home}: {error.strerror}", _WRITABLE)
        return
    shut = next((path for path in home.rglob("*") if not os.access(path, os.W_OK)), None)
    if shut:  # another person's, as after `sudo crag`
        yield ill("home", f"{shut} cannot be written", _WRITABLE)
    else:
        yield well("home", str(home))
    free = shutil.disk_usage(existing).free
    detail = f"{free / 1e9:.1f} GB free"
    if free < LEAST_FREE:
        yield ill("disk", detail, "Free some space, or choose another --home")
    else:
        yield well("disk", detail)
