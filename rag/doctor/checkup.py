"""All checks in order: the home, its files, the models, the collections. Each only looks."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from rag.doctor import Check, ill, well
from rag.doctor.indexes import check_collections, check_store
from rag.doctor.models import check_models
from rag.index.home.catalog import catalog_path, is_sound
from rag.index.home.store import HomeStore
from rag.opening import build_embedder, store_of
from state.errors import CragError, DamagedError
from state.home_db import HOME_FILE
from state.settings import Settings
from state.sqlite_file import connect_to_read, readable, sqlite_failures

LEAST_FREE = 500 << 20
_WRITABLE = "Make it writable, or choose another --home"


def examine(settings: Settings) -> Iterator[Check]:
    """Every part; what depends on a part that is not well is left out."""
    yield from _check_home(settings.home)
    catalog = check_catalog(settings.home)
    yield catalog
    yield from check_home(settings.home)
    embedder = build_embedder(settings)
    yield from check_models(settings, embedder)
    store = store_of(settings)
    if not isinstance(store, HomeStore):
        yield from check_store(store, embedder.identity)
    elif catalog.ok:
        yield from check_collections(settings.home, embedder.identity)


def _check_home(home: Path) -> Iterator[Check]:
    """A home that does not exist yet is well if it can be made."""
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


def check_catalog(home: Path) -> Check:
    path = catalog_path(home)
    if not path.exists():
        return well("catalog", "nothing was ingested yet")
    away = f"Move {path} away; then run `crag ingest` again"
    return _check("catalog", path, lambda: is_sound(home), away)


def check_home(home: Path) -> Iterator[Check]:
    """SQLite's own check of what is remembered of questions, where there is anything."""
    path = home / HOME_FILE
    if path.exists():
        away = f"Restore {path} from a backup, or move it away"
        yield _check("threads", path, partial(_faults, path), away)


def _check(part: str, path: Path, look: Callable[[], list[str]], mending: str) -> Check:
    try:
        faults = look()
    except DamagedError as error:
        faults = [error.message]
    except CragError as error:
        return ill(part, error)
    if faults:
        return ill(part, f"{path.name}: {' '.join(faults[0].split())}", mending)
    return well(part, f"{path.name} is sound")


def _faults(path: Path) -> list[str]:
    with sqlite_failures(path.name), closing(connect_to_read(path)) as db:
        db.text_factory = readable
        rows = db.execute("PRAGMA integrity_check(5)").fetchall()
    return [str(row[0]) for row in rows if row[0] != "ok"]
