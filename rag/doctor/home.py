"""The home: permissions, room on the disk, and whether its databases are sound."""

from __future__ import annotations

import os
import shlex
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from rag.doctor.part_check import REPAIR, Check, ill, well
from rag.doctor.rows import changed_rows
from rag.doctor.schemas import schema_fault
from rag.index.catalog import catalog_path, is_sound
from rag.research.journal import JOURNAL_FILE
from state.checkpoints import CHECKPOINTS_FILE
from state.errors import CragError, DamagedError
from state.schema_version import read_version
from state.sqlite_file import (
    connect_to_read,
    error_code,
    is_damage,
    readable,
    sqlite_failures,
)
from state.trace_store import TRACES_FILE, TraceStore
from state.turn_codec import decode_turn
from state.turn_store import THREADS_FILE, THREADS_SCHEMA

LEAST_FREE = 500 << 20
_UNHARMED = "nothing says that it is damaged"
_WRITABLE = "Make it writable, or choose another --home"
_ROOM = f"Make room in its folder and let it be written there; {_UNHARMED}"


def check_home(home: Path) -> Iterator[Check]:
    """Looks only; a home that does not exist yet is well if it can be made."""
    existing = next(path for path in (home, *home.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing):
            writable = existing.is_dir()
    except OSError as error:
        yield ill("home", f"{home}: {error.strerror}", _WRITABLE)
        return
    if not writable or not os.access(existing, os.W_OK | os.X_OK):
        yield ill("home", f"{existing} is not a writable folder", "Choose another --home")
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


def check_databases(home: Path) -> Iterator[Check]:
    """Every SQLite file of the home that exists, by SQLite's own check."""
    fault = catalog_path(home).exists() and schema_fault(catalog_path(home))
    yield ill("catalog", fault, REPAIR) if fault else _catalog(home)
    for part, name, then in (
        ("threads", THREADS_FILE, "the threads in it are lost"),
        ("checkpoints", CHECKPOINTS_FILE, "turns are kept elsewhere"),
        ("traces", TRACES_FILE, "the traces in it are lost"),
        ("research", JOURNAL_FILE, "the runs in it are lost"),
    ):
        if (home / name).exists():
            check = _database(part, home / name, then)
            if fault := schema_fault(home / name):
                check = ill(part, fault, REPAIR)
            elif check.ok and name == TRACES_FILE:
                check = _traces(home, then)
            elif check.ok and name == THREADS_FILE:
                check = _turns(home / name, then)
            elif check.ok:
                check = _rows(part, home / name, then)
            yield check


def _catalog(home: Path) -> Check:
    if not catalog_path(home).exists():
        return well("catalog", "nothing was ingested yet")
    try:
        problems = is_sound(home)
    except DamagedError as error:
        problems = [error.message]
    except CragError as error:  # it could not be looked at, which is no damage
        hint = error.hint and f"{error.hint.rstrip('.')}; {_UNHARMED}"
        return ill("catalog", error.message, hint or _ROOM)
    if not problems:
        return _rows("catalog", catalog_path(home), "then run `crag ingest` again")
    return _verdict("catalog", catalog_path(home), problems, "then run `crag ingest` again")


def _rows(part: str, path: Path, then: str) -> Check:
    try:
        found = changed_rows(path)
    except DamagedError as error:
        return _verdict(part, path, [error.message], then)
    except CragError as error:
        return ill(part, error.message, error.hint)
    if found:
        return ill(part, f"{path.name}: {found}", REPAIR)
    return well(part, f"{path.name} is sound")


def _database(part: str, path: Path, then: str) -> Check:
    try:
        with closing(connect_to_read(path)) as connection:
            connection.text_factory = readable
            rows = connection.execute("PRAGMA integrity_check(5)").fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if isinstance(error, sqlite3.Error) and error_code(error) and not is_damage(error):
            return ill(part, f"{path.name}: {error}", _ROOM)
        return _verdict(part, path, [str(error)], then)
    return _verdict(part, path, [str(row[0]) for row in rows if row[0] != "ok"], then)


def _turns(path: Path, then: str) -> Check:
    try:
        with sqlite_failures(path.name), closing(connect_to_read(path)) as connection:
            if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
                return well("threads", f"{path.name} is empty")
            if read_version(connection) > THREADS_SCHEMA:
                return ill(
                    "threads", f"{path.name} was written by a newer crag", "Use that version"
                )
            rows = connection.execute(
                "SELECT name, n, body FROM turns JOIN threads ON threads.id = turns.thread_id"
            ).fetchall()
            connection.execute("EXPLAIN SELECT created_at, last_turn FROM threads")
            connection.execute("EXPLAIN SELECT created_at, milestone FROM turns")
    except DamagedError as error:
        return _verdict("threads", path, [error.message], then)
    for name, number, body in rows:
        try:
            decode_turn(body)
        except CragError:
            what = f"turn {number} of {name!r} is damaged"
            return ill("threads", what, f"crag threads delete {shlex.quote(name)} -y")
    return well("threads", f"{path.name} is sound")


def _traces(home: Path, then: str) -> Check:
    with TraceStore(home) as traces:
        try:
            traces.summaries(limit=1)
            damaged = traces.damaged()
        except DamagedError as error:
            return _verdict("traces", home / TRACES_FILE, [error.message], then)
        except CragError as error:
            return ill("traces", error.message, error.hint)
    if not damaged:
        return well("traces", f"{TRACES_FILE} is sound")
    return ill("traces", f"damaged: {', '.join(damaged[:3])}", f"crag trace delete {damaged[0]} -y")


def _verdict(part: str, path: Path, problems: list[str], then: str) -> Check:
    if not problems:
        return well(part, f"{path.name} is sound")
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    return ill(
        part, f"{path.name}: {' '.join(problems[0].split())}{more}", f"Move {path} away; {then}"
    )
