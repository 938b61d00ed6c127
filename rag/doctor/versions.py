"""The version in the header of a database, which every command reads before anything else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from rag.index.catalog import FILE_NAME as CATALOG_FILE
from state.schema_version import is_damaged, read_version, write_version
from state.sqlite_file import connect, connect_to_read, sqlite_failures, transaction
from state.turn_store import THREADS_FILE


def version_damaged(path: Path) -> bool:
    """Raises:
    StorageError, StoreBusyError: the file cannot be looked at.

    """
    with sqlite_failures(path.name), closing(connect_to_read(path)) as db:
        return is_damaged(db)


def write_versions_again(home: Path, tell: Callable[[str], None]) -> None:
    """Raises:
    StorageError, StoreBusyError: a file cannot be looked at, or not written.

    """
    for path in (home / CATALOG_FILE, home / THREADS_FILE):
        if path.exists() and version_damaged(path):
            with sqlite_failures(path.name), closing(connect(path)) as db, transaction(db):
                write_version(db, read_version(db))
            tell(f"{path.name}: writing its version again")
