"""An SQLite file opened for one purpose: private, versioned, its failures named."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from state.errors import CragError, StorageError, StoreBusyError, UsageError

BUSY_SECONDS = 10.0


@contextmanager
def sqlite_failures(name: str) -> Iterator[None]:
    """Map whatever sqlite3 or the file system raises to StorageError or StoreBusyError."""
    try:
        yield
    except sqlite3.Error as error:
        raise _mapped(error, name) from None
    except UnicodeEncodeError:
        raise UsageError("A thread's name must be valid Unicode.") from None
    except OSError as error:
        raise StorageError(f"{name} cannot be used: {error.strerror or error}.") from None


def _mapped(error: sqlite3.Error, name: str) -> CragError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusyError(f"{name} is held by another process.", "Try again when it is done.")
    if code == sqlite3.SQLITE_FULL:
        return StorageError(f"{name} cannot grow: the disk is full.", "Make room, then try again.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return StorageError(
            f"{name} cannot be written: {error}.", "Check the folder's permissions."
        )
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StorageError(
            f"{name} is damaged ({error}).", "Move it away, or restore it from a backup."
        )
    return StorageError(f"{name} failed: {error}.")


def create_private(path: Path) -> None:
    """Make the file and its folder, readable by their owner alone, where they are not there."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))


def connect(path: Path | str) -> sqlite3.Connection:
    """A connection in explicit transactions, usable from any thread under a lock."""
    return sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )


def readable(data: bytes) -> str:
    """A `text_factory` for checks: what SQLite quotes of a damaged file may be no UTF-8."""
    return data.decode(errors="backslashreplace")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock; all that is done inside, or nothing of it."""
    db.execute("begin immediate")
    try:
        yield
        db.execute("commit")
    except BaseException:
        if db.in_transaction:
            db.execute("rollback")
        raise
