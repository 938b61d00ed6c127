"""An SQLite file opened for one purpose: private, versioned, its failures named."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from state.errors import (
    CragError,
    DamagedError,
    StorageError,
    StoreBusyError,
    UsageError,
    storage_error,
)

BUSY_SECONDS = 10.0
_BETWEEN_SECONDS = 0.02

DAMAGE = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    # Our own statements suit sound tables, and what they write keeps to their rules.
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_TOOBIG,
)
_SAVE = "Restore it from a backup, or move it away; `crag doctor` looks at every file."
_FOLDER = "Let its folder be written, or choose another --home."

_NAMED = {
    sqlite3.SQLITE_FULL: ("cannot grow", "Make room on its disk, then try again."),
    sqlite3.SQLITE_READONLY: ("cannot be written", _FOLDER),
    sqlite3.SQLITE_PERM: ("cannot be written", _FOLDER),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", _FOLDER),
    sqlite3.SQLITE_IOERR: ("failed", "Look after its disk, or choose another --home."),
    sqlite3.SQLITE_NOMEM: ("cannot be read", "Let the program have more memory."),
}


@contextmanager
def sqlite_failures(name: str) -> Iterator[None]:
    """Map whatever sqlite3 or the file system raises to StorageError or StoreBusyError."""
    try:
        yield
    except sqlite3.Error as error:
        raise storage_failure(error, name, _SAVE) from None
    except UnicodeEncodeError:
        raise UsageError("A thread's name must be valid Unicode.") from None
    except UnicodeDecodeError as error:
        raise DamagedError(f"{name} is damaged ({error}).", _SAVE) from None
    except OSError as error:
        raise (
            storage_error(error) or StorageError(f"{name} cannot be used: {error}.", _FOLDER)
        ) from None


def error_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 where Python raised it by itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def is_damage(error: sqlite3.Error) -> bool:
    """Also a text that is none any more."""
    return error_code(error) in DAMAGE or "UTF-8" in str(error)


def storage_failure(error: sqlite3.Error, name: str, damaged: str) -> CragError:
    """What a failure of SQLite is called. `damaged`: what to do with a file that is."""
    code = error_code(error)
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMSIZE:
        return full_disk(name)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return StoreBusyError(f"{name} is held by another process.", "Try again when it is done.")
    if is_damage(error):
        return DamagedError(f"{name} is damaged ({error}).", damaged)
    if code == sqlite3.SQLITE_CANTOPEN and (limit := limit_on_files()) is not None:
        return limit
    what, hint = _NAMED.get(code, ("failed", None))
    return StorageError(f"{name} {what}: {error}.", hint)


def full_disk(name: str) -> StorageError:
    """Where SQLite says only that what it keeps beside a file could not be made."""
    return StorageError(f"{name} cannot grow: the disk is full.", _NAMED[sqlite3.SQLITE_FULL][1])


def limit_on_files() -> StorageError | None:
    """What libraries that say only that they cannot open a file do not say: that none can be."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return storage_error(error)
    return None


def create_private(path: Path) -> None:
    """Make the file and its folder, readable by their owner alone, where they are not there."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))


def connect(path: Path | str) -> sqlite3.Connection:
    """A connection in explicit transactions, usable from any thread under a lock."""
    uri = isinstance(path, str) and path.startswith("file:")
    return sqlite3.connect(
        path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, uri=uri
    )


def log_ahead(db: sqlite3.Connection) -> None:
    """Write-ahead logging. SQLite waits for nobody as it is switched on, though every process
    that opens a new file at that moment does so.
    """
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("pragma journal_mode = wal")
        except sqlite3.OperationalError as error:
            if error_code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(_BETWEEN_SECONDS)
        else:
            return


def connect_to_read(path: Path) -> sqlite3.Connection:
    """As `connect`; where the file or its folder cannot be written, or the disk has no room for
    what SQLite keeps beside it, a connection that reads what is there.
    """
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        db = connect(path)
        try:
            db.execute("pragma schema_version").fetchone()
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_IOERR_SHMSIZE:
                return db  # whoever asks meets it, and maps it
            db.close()
        else:
            return db
    log = path.with_name(f"{path.name}-wal")
    unfinished = log.exists() and log.stat().st_size > 0
    return connect(f"{path.absolute().as_uri()}?mode=ro{'' if unfinished else '&immutable=1'}")


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
