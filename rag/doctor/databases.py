"""The SQLite files of a home: what makes them, what of them is sound, and the catalog's mending."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag.doctor.part_check import REPAIR, Check, few, ill, well
from rag.doctor.schemas import repair_schema, schema_fault
from rag.index import catalog_schema
from rag.index.catalog import catalog_path, is_sound
from rag.research.journal import JOURNAL_FILE, JOURNAL_TABLES
from rag.research.journal import make_tables as make_journal
from state.checkpoints import CHECKPOINTS_FILE
from state.checkpoints_sqlite import CHECKPOINT_TABLES
from state.checkpoints_sqlite import make_tables as make_checkpoints
from state.counting import many
from state.errors import CragError, DamagedError
from state.row_seals import damaged_rows, drop_damaged_rows
from state.schema_version import read_version, refuse_other
from state.sqlite_file import connect, connect_to_read, readable, sqlite_failures, transaction
from state.threads_sqlite import THREAD_TABLES, is_whole_turn, name_threads
from state.threads_sqlite import make_tables as make_threads
from state.trace_store import TRACE_TABLES, TRACES_FILE, is_whole_trace
from state.trace_store import make_tables as make_traces
from state.turn_store import THREADS_FILE, THREADS_SCHEMA

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Database:
    """`make` makes its tables; `is_whole` says by table of a row without a checksum, by column,
    whether it is what was written; `complete` puts back what other rows tell.
    """

    part: str
    file: str
    make: Callable[[sqlite3.Connection], object]
    tables: tuple[str, ...]
    version: int = 0
    is_whole: Mapping[str, Callable[[Row], bool]] = field(default_factory=dict)
    complete: Callable[[sqlite3.Connection], None] = lambda _db: None


DATABASES = (
    Database(
        "threads",
        THREADS_FILE,
        make_threads,
        THREAD_TABLES,
        THREADS_SCHEMA,
        {"turns": is_whole_turn},
        name_threads,
    ),
    Database("checkpoints", CHECKPOINTS_FILE, make_checkpoints, CHECKPOINT_TABLES),
    Database("traces", TRACES_FILE, make_traces, TRACE_TABLES, is_whole={"traces": is_whole_trace}),
    Database("research", JOURNAL_FILE, make_journal, JOURNAL_TABLES),
)


def check_databases(home: Path) -> Iterator[Check]:
    """Each of them that is there."""
    for database in DATABASES:
        if (home / database.file).exists():
            yield check_database(home / database.file, database)


def check_database(path: Path, database: Database) -> Check:
    """Its schema, SQLite's own check, and every row."""
    fault = schema_fault(path, database.make)
    try:
        with sqlite_failures(path.name), closing(connect_to_read(path)) as db:
            if fault is None and database.version:
                refuse_other(read_version(db), database.version, path.name)
            faults = list(_faults(db, database)) if fault is None else [fault]
    except DamagedError as error:
        faults = [error.message]
    except CragError as error:
        return _unlooked(database.part, error)
    if faults:
        return ill(database.part, f"{path.name}: {_first(faults)}", REPAIR)
    return well(database.part, f"{path.name} is sound")


def _first(faults: Sequence[str]) -> str:
    return few([" ".join(each.split()) for each in faults], 1)


def _unlooked(part: str, error: CragError) -> Check:
    """Of a file that could not be looked at, which is no damage."""
    hint = error.hint or "Make room in its folder and let it be written there"
    return ill(part, error.message, f"{hint.rstrip('.')}; nothing says that it is damaged")


def _faults(db: sqlite3.Connection, database: Database) -> Iterator[str]:
    db.text_factory = readable
    rows = db.execute("PRAGMA integrity_check(5)").fetchall()
    if rows != [("ok",)]:
        yield from (str(row[0]) for row in rows)
        return
    yield from _damage_in_words(db, database.tables)


def _damage_in_words(db: sqlite3.Connection, tables: Sequence[str]) -> list[str]:
    return [
        f"{many(count, 'damaged row')} of {table}"
        for table, count in damaged_rows(db, tables).items()
    ]


def check_catalog(home: Path) -> Check:
    path = catalog_path(home)
    if not path.exists():
        return well("catalog", "nothing was ingested yet")
    if fault := schema_fault(path, catalog_schema.create):
        return ill("catalog", f"{path.name}: {fault}", REPAIR)
    try:
        problems = is_sound(home)
        changed = "" if problems else _changed_rows(path)
    except DamagedError as error:
        problems, changed = [error.message], ""
    except CragError as error:
        return _unlooked("catalog", error)
    if problems:
        away = f"Move {path} away; then run `crag ingest` again"
        return ill("catalog", f"{path.name}: {_first(problems)}", away)
    if changed:
        return ill("catalog", f"{path.name}: {changed}", REPAIR)
    return well("catalog", f"{path.name} is sound")


def repair_catalog(home: Path, report: Callable[[str], None]) -> None:
    """Its schema is written again, damaged rows of small tables are taken out: nobody could read
    them. What is built from a catalog that is not sound is not either.

    Raises:
        StorageError, StoreBusyError: it is damaged beyond that, or cannot be written.
    """
    path = catalog_path(home)
    if not path.exists():
        return
    if schema_fault(path, catalog_schema.create):
        repair_schema(path, catalog_schema.create)
        report(f"{path.name}: writing its schema again")
    if problems := is_sound(home):
        raise DamagedError(
            f"The catalog {path} is damaged ({problems[0]}).",
            "Move it away and run `crag ingest` again.",
        )
    if changed := _changed_rows(path):
        with sqlite_failures(path.name), closing(connect(path)) as db, transaction(db):
            drop_damaged_rows(db, catalog_schema.SEALED_TABLES)
        report(f"{path.name}: {changed} taken out; the next ingest of its folder writes them again")


def _changed_rows(path: Path) -> str:
    """What is not as it was written, in words; empty where all is."""
    with sqlite_failures(path.name), closing(connect_to_read(path)) as db:
        return ", ".join(_damage_in_words(db, catalog_schema.SEALED_TABLES))
