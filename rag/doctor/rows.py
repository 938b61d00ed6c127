"""The rows of small tables against their checksums, and taking out those that are damaged."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from rag.index.catalog import FILE_NAME as CATALOG_FILE
from rag.index.catalog_schema import SEALED_TABLES
from rag.research.journal import JOURNAL_FILE, JOURNAL_TABLES
from state.checkpoints import CHECKPOINTS_FILE
from state.checkpoints_sqlite import CHECKPOINT_TABLES
from state.counting import many
from state.row_seals import damaged_rows, drop_damaged_rows
from state.sqlite_file import connect, connect_to_read, sqlite_failures, transaction

_SEALED = {
    CATALOG_FILE: (SEALED_TABLES, "the next ingest of its folder puts them there again"),
    CHECKPOINTS_FILE: (CHECKPOINT_TABLES, "their threads go on from the turns, which are whole"),
    JOURNAL_FILE: (JOURNAL_TABLES, "a run that goes on finds again what they held"),
}


def changed_rows(path: Path) -> str:
    """What is not as it was written, in words; empty where all is.

    Raises:
        StorageError, StoreBusyError: the file cannot be looked at.

    """
    tables, _ = _SEALED[path.name]
    with sqlite_failures(path.name), closing(connect_to_read(path)) as db:
        return ", ".join(
            f"{many(count, 'damaged row')} of {table}"
            for table, count in damaged_rows(db, tables).items()
        )


def drop_changed_rows(home: Path, tell: Callable[[str], None]) -> None:
    """Nothing is lost that was not: a damaged row is read by nobody afterwards.

    Raises:
        StorageError, StoreBusyError: a file cannot be looked at, or not written.

    """
    for name, (tables, then) in _SEALED.items():
        path = home / name
        if path.exists() and (found := changed_rows(path)):
            with sqlite_failures(name), closing(connect(path)) as db, transaction(db):
                drop_damaged_rows(db, tables)
            tell(f"{name}: {found} taken out; {then}")
