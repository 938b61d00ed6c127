"""The catalog's file: opening it, its transactions, and what its failures are called."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rag.index.home import schema
from state.closing import closed_on_failure
from state.errors import DamagedError, NoIndexError, StorageError, refuse_other, storage_error
from state.sqlite_file import connect as open_file
from state.sqlite_file import (
    connect_to_read,
    create_private,
    error_code,
    full_disk,
    log_ahead,
    readable,
    storage_failure,
    transaction,
)

FILE_NAME = "catalog.sqlite"
_BUSY_MS = 30_000
_MENDING = "`crag doctor` says what mends it."
_AWAY = "Move it away; then run `crag ingest` again."


def catalog_path(home: Path) -> Path:
    return home / FILE_NAME


def file_of(path: Path) -> tuple[int, int] | None:
    """Tells a catalog from another that took its place; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def connect(home: Path, *, create: bool = False) -> sqlite3.Connection:
    """A connection in autocommit mode; group statements with `reading` and
    `state.sqlite_file.transaction`. A home that cannot be written can be read.

    Raises:
        NoIndexError: there is no catalog and `create` is False.
        StorageError: it cannot be opened or is not a catalog of ours.
    """
    path = catalog_path(home)
    try:
        if create:
            create_private(path)
        elif not path.is_file():
            raise NoIndexError("Nothing was ingested yet.", "Run `crag ingest PATH` first.")
    except OSError as error:
        raise (storage_error(error) or StorageError(f"{path} cannot be used: {error}.")) from error
    made = open_file if create else connect_to_read
    with mapped_errors(path), closed_on_failure(made(path)) as connection:
        connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        _prepare(connection, path)
        return connection


@contextmanager
def opened(home: Path, *, create: bool = False) -> Iterator[sqlite3.Connection]:
    """As `connect`, until the block ends; what fails in it is called as `mapped_errors` does."""
    with closing(connect(home, create=create)) as found, mapped_errors(catalog_path(home)):
        yield found


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    refuse_other(found, schema.SCHEMA_VERSION, f"The catalog {path}", _AWAY)
    if not found:
        # Pages of removed documents go back to the disk; settable on an empty file only.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        log_ahead(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    if not found:
        with transaction(connection):
            _make(connection, path)


def _make(connection: sqlite3.Connection, path: Path) -> None:
    """Unless another process made it a moment before."""
    if connection.execute("PRAGMA user_version").fetchone() != (0,):
        return
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        raise StorageError(f"{path} is not a catalog of crag.", "Choose another --home.")
    schema.create(connection)
    # Of a catalog that was moved away: nothing names them any more.
    for folder in (path.parent / "vectors").glob("[0-9a-f]" * 32):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def reading(connection: sqlite3.Connection) -> Iterator[None]:
    """One snapshot: everything read inside is of the same moment. Nests."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


@contextmanager
def mapped_errors(path: Path) -> Iterator[None]:
    """SQLite's failures as ours; everything else passes as it is."""
    try:
        yield
    except sqlite3.Error as error:
        if isinstance(error, sqlite3.ProgrammingError):
            raise  # a mistake of ours, not of the file's
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_CORRUPT_VTAB:
            raise DamagedError(
                f"The lexical index in {path} is damaged.", "Run `crag doctor`, then `crag ingest`."
            ) from error
        if error_code(error) == sqlite3.SQLITE_READONLY and os.access(path, os.W_OK):
            raise full_disk(f"The catalog {path}") from error  # see `connect_to_read`
        raise storage_failure(error, f"The catalog {path}", _MENDING) from error
    except UnicodeDecodeError as error:  # SQLite quotes what is damaged
        raise DamagedError(f"The catalog {path} is damaged ({error}).", _MENDING) from error


def is_sound(home: Path) -> list[str]:
    """What SQLite's own check finds wrong with the file; empty when nothing is."""
    with opened(home) as connection:
        connection.text_factory = readable
        rows = connection.execute("PRAGMA integrity_check(20)").fetchall()
        broken = connection.execute("PRAGMA foreign_key_check").fetchmany(20)
    found = [str(row[0]) for row in rows if row[0] != "ok"]
    return found + [f"a row of {row[0]} points at no {row[2]}" for row in broken]
