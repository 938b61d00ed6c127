"""The SQLite files of a home: SQLite's own check of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from rag.doctor.part_check import Check, ill, well
from rag.index.catalog import catalog_path, is_sound
from rag.research.journal import JOURNAL_FILE
from state.checkpoints import CHECKPOINTS_FILE
from state.errors import CragError, DamagedError
from state.sqlite_file import connect_to_read, readable, sqlite_failures
from state.trace_store import TRACES_FILE
from state.turn_store import THREADS_FILE

DATABASES = {
    "threads": THREADS_FILE,
    "checkpoints": CHECKPOINTS_FILE,
    "traces": TRACES_FILE,
    "research": JOURNAL_FILE,
}


def check_databases(home: Path) -> Iterator[Check]:
    """Each of them that is there."""
    for part, file in DATABASES.items():
        path = home / file
        if path.exists():
            away = f"Restore {path} from a backup, or move it away"
            yield _check(part, path, partial(_faults, path), away)


def check_catalog(home: Path) -> Check:
    path = catalog_path(home)
    if not path.exists():
        return well("catalog", "nothing was ingested yet")
    away = f"Move {path} away; then run `crag ingest` again"
    return _check("catalog", path, lambda: is_sound(home), away)


def _check(part: str, path: Path, look: Callable[[], list[str]], mending: str) -> Check:
    try:
        faults = look()
    except DamagedError as error:
        faults = [error.message]
    except CragError as error:
        return ill(part, error.message, error.hint)
    if faults:
        return ill(part, f"{path.name}: {' '.join(faults[0].split())}", mending)
    return well(part, f"{path.name} is sound")


def _faults(path: Path) -> list[str]:
    """What SQLite finds wrong with the file."""
    with sqlite_failures(path.name), closing(connect_to_read(path)) as db:
        db.text_factory = readable
        rows = db.execute("PRAGMA integrity_check(5)").fetchall()
    return [str(row[0]) for row in rows if row[0] != "ok"]
