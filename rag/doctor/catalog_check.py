"""The catalog: its schema, SQLite's own check, the rows of its small tables, and their mending."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from rag.doctor.databases import damage_in_words, first, unlooked
from rag.doctor.part_check import REPAIR, Check, ill, well
from rag.doctor.schemas import mend_schema, schema_fault
from rag.index import catalog_schema
from rag.index.catalog import catalog_path, is_sound
from state.errors import CragError, DamagedError
from state.row_seals import drop_damaged_rows
from state.sqlite_file import connect, connect_to_read, sqlite_failures, transaction


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
        return unlooked("catalog", error)
    if problems:
        away = f"Move {path} away; then run `crag ingest` again"
        return ill("catalog", f"{path.name}: {first(problems)}", away)
    if changed:
        return ill("catalog", f"{path.name}: {changed}", REPAIR)
    return well("catalog", f"{path.name} is sound")


def mend_catalog(home: Path, tell: Callable[[str], None]) -> None:
    """Its schema is written again, damaged rows of small tables are taken out: nobody could read
    them. What is built from a catalog that is not sound is not either.

    Raises:
        StorageError, StoreBusyError: it is damaged beyond that, or cannot be written.

    """
    path = catalog_path(home)
    if not path.exists():
        return
    if schema_fault(path, catalog_schema.create):
        mend_schema(path, catalog_schema.create)
        tell(f"{path.name}: writing its schema again")
    if problems := is_sound(home):
        raise DamagedError(
            f"The catalog {path} is damaged ({problems[0]}).",
            "Move it away and run `crag ingest` again.",
        )
    if changed := _changed_rows(path):
        with sqlite_failures(path.name), closing(connect(path)) as db, transaction(db):
            drop_damaged_rows(db, catalog_schema.SEALED_TABLES)
        tell(f"{path.name}: {changed} taken out; the next ingest of its folder writes them again")


def _changed_rows(path: Path) -> str:
    """What is not as it was written, in words; empty where all is."""
    with sqlite_failures(path.name), closing(connect_to_read(path)) as db:
        return ", ".join(damage_in_words(db, catalog_schema.SEALED_TABLES))
