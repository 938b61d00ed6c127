"""All checks in order: the home, its files, the models, the collections. Each only looks."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rag.doctor import Check, failed, passed
from rag.doctor.indexes import check_collections, check_store
from rag.doctor.models import check_models
from rag.embed.builtin import builtin_embedder
from rag.index.home.catalog import Catalog
from state.errors import CragError, DamagedError
from state.home_db import HomeDb
from state.settings import Settings
from state.sqlite_file import SqliteFile

LEAST_FREE = 500 << 20
_WRITABLE = "Make it writable, or choose another --home"


def examine(settings: Settings) -> Iterator[Check]:
    """Check every part; what depends on a part that is not well is left out."""
    yield from _as_far_as("home", _check_home(settings.home))
    catalog = check_catalog(settings.home)
    yield catalog
    yield check_threads(settings.home)
    yield from check_models(settings)
    identity = builtin_embedder().identity
    if settings.store is not None:
        yield from check_store(settings.store, settings.store_schema, identity)
    elif catalog.ok:
        found = check_collections(settings.home, identity, settings.chroma_url)
        yield from _as_far_as("collections", found)


def _as_far_as(part: str, checks: Iterator[Check]) -> Iterator[Check]:
    """The checks, up to one that cannot be made, which is a failed one."""
    try:
        yield from checks
    except CragError as error:
        yield failed(part, error)
    except OSError as error:
        yield failed(part, f"{error.filename}: {error.strerror}", _WRITABLE)


def _check_home(home: Path) -> Iterator[Check]:
    """Check the home's folder and disk; a home that does not exist is well if it can be made."""
    existing = next(path for path in (home, *home.parents) if path.exists())
    try:
        tempfile.TemporaryFile(dir=existing).close()
    except OSError as error:
        yield failed("home", f"{home}: {error.strerror}", _WRITABLE)
        return
    shut = next((path for path in home.rglob("*") if not os.access(path, os.W_OK)), None)
    if shut:  # another person's, as after `sudo crag`
        yield failed("home", f"{shut} cannot be written", _WRITABLE)
    else:
        yield passed("home", str(home))
    free = shutil.disk_usage(existing).free
    detail = f"{free / 1e9:.1f} GB free"
    if free < LEAST_FREE:
        yield failed("disk", detail, "Free some space, or choose another --home")
    else:
        yield passed("disk", detail)


def check_catalog(home: Path) -> Check:
    catalog = Catalog(home)
    away = f"Move {catalog.path} away; then run `crag ingest` again"
    return _check("catalog", catalog, away)


def check_threads(home: Path) -> Check:
    kept = HomeDb(home)
    return _check("threads", kept, f"Restore {kept.path} from a backup, or move it away")


def _check(part: str, file: SqliteFile, mending: str) -> Check:
    path = file.path
    try:
        if not path.exists():
            return passed(part, "nothing is kept yet")
        with file:
            faults = file.integrity_errors()
    except DamagedError as error:
        faults = [error.message]
    except CragError as error:
        return failed(part, error)
    except OSError as error:
        return failed(part, f"{path}: {error.strerror}", _WRITABLE)
    if faults:
        return failed(part, f"{path.name}: {' '.join(faults[0].split())}", mending)
    return passed(part, f"{path.name} is sound")
