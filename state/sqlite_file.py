"""A SQLite file of the home: private to its owner, of one version, with its errors mapped."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from state.closing import closed_on_failure
from state.database import Database
from state.errors import (
    CragError,
    DamagedError,
    StorageError,
    StoreBusyError,
    UsageError,
    refuse_other,
    storage_error,
)

BUSY_SECONDS = 10.0
_VALUE = re.compile(r"\$(\d+)")

_DAMAGE = (
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    # Our statements fit sound tables and keep to their constraints, so these are damage too.
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
    sqlite3.SQLITE_TOOBIG,
)
_SAVE = "Restore it from a backup, or move it away; `crag doctor` looks at every file."
_ERRNOS = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_IOERR_SHMSIZE: errno.ENOSPC,  # its shared-memory file could not be made
    sqlite3.SQLITE_READONLY: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}


class SqliteConnection(sqlite3.Connection):
    """Accepts the placeholders `$1` … of a `Sql`, and SQLite's own `?`."""

    def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
        return super().execute(_VALUE.sub(r"?\1", sql), values)

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        return super().executemany(_VALUE.sub(r"?\1", sql), rows)


class SqliteFile(Database):
    """Created on the first write."""

    version: int
    sizes = "select page_count * page_size from pragma_page_count, pragma_page_size"
    damaged = _SAVE
    """What a person is told to do with a damaged file."""
    on_connect: str
    """Pragmas of each connection."""
    on_create: str
    """Pragmas of an empty file, before its first table is created."""

    def __init__(self, path: Path, kind: str) -> None:
        super().__init__()
        self.path = path
        self.name = f"The {kind} {path}"

    @abstractmethod
    def _create_tables(self, db: sqlite3.Connection) -> None:
        """Create the tables of a new file; called inside a transaction."""

    def _open(self, *, write: bool) -> SqliteConnection | None:
        if self._connection is None:
            if not (write or self.path.exists()):
                return None
            if write:
                self._create()
            writable = write or os.access(self.path, os.W_OK)
            with closed_on_failure((connect if write else connect_to_read)(self.path)) as db:
                found = _version(db)
                refuse_other(found, self.version, self.name)
                db.executescript(self.on_connect)
                if writable and not found:
                    db.executescript(self.on_create)
                    with transaction(db):
                        if not _version(db):  # or another process made it a moment before
                            self._create_tables(db)
                            db.execute(f"pragma user_version = {self.version}")
                if writable:
                    with suppress(sqlite3.OperationalError):  # another process is just doing it
                        db.execute("pragma journal_mode = wal")
            self._connection = db
        opened: SqliteConnection = self._connection
        return opened

    def _create(self) -> None:
        try:
            create_private(self.path)
        except OSError as error:
            raise self._unusable(error, error) from None

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Maps whatever sqlite3 raises to StorageError or StoreBusyError."""
        try:
            yield
        except sqlite3.ProgrammingError:
            raise  # a mistake of ours, not of the file's
        except sqlite3.Error as error:
            raise self._failure(error) from error
        except UnicodeEncodeError:
            raise UsageError("A name must be valid Unicode.") from None
        except UnicodeDecodeError as error:  # SQLite quotes what is damaged
            raise DamagedError(f"{self.name} is damaged ({error}).", self.damaged) from None

    def _failure(self, error: sqlite3.Error) -> CragError:
        exact, code, name = getattr(error, "sqlite_errorcode", 0), error_code(error), self.name
        if code == sqlite3.SQLITE_READONLY and os.access(self.path, os.W_OK):
            exact = sqlite3.SQLITE_FULL  # see `connect_to_read`
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            hint = "Try again when it is done."
            return StoreBusyError(f"{name} is held by another process.", hint)
        if code in _DAMAGE or "UTF-8" in str(error):  # also a text that is none any more
            return DamagedError(f"{name} is damaged ({error}).", self.damaged)
        number = _ERRNOS.get(exact) or _ERRNOS.get(code)
        return self._unusable(OSError(number, str(error), str(self.path)), error)

    def _unusable(self, known: OSError, error: Exception) -> StorageError:
        hint = "Let its folder be written, raise `ulimit -n`, or choose another --home."
        return storage_error(known) or StorageError(f"{self.name} cannot be used: {error}.", hint)

    def _snapshot(self) -> AbstractContextManager[None]:
        return transaction(self._connection, "begin")

    def transaction(self) -> AbstractContextManager[None]:
        return transaction(self._connection)

    def integrity_errors(self) -> list[str]:
        """What `pragma integrity_check` finds; empty for a sound file."""
        rows = self.read("pragma integrity_check(20)")
        return [str(row[0]) for row in rows if row[0] != "ok"]


def _version(db: sqlite3.Connection) -> int:
    (found,) = db.execute("pragma user_version").fetchone()
    return int(found)


def error_code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 where Python raised it by itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def create_private(path: Path) -> None:
    """Create a file and its folder, accessible to their owner alone, unless they exist. An existing
    file is not opened: closing it would drop every lock that this process holds on it.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))


def connect(path: Path | str) -> SqliteConnection:
    """A connection with explicit transactions, usable from any thread under a lock."""
    return sqlite3.connect(
        path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        factory=SqliteConnection,
        uri=isinstance(path, str),
    )


def connect_to_read(path: Path) -> SqliteConnection:
    """As `connect`, but read-only if the file or its folder cannot be written, or if the disk has
    no room for the shared memory that SQLite keeps beside the file.
    """
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        db = connect(path)
        try:
            db.execute("pragma schema_version").fetchone()
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_IOERR_SHMSIZE:
                return db  # the caller's own statement fails alike, and is mapped
            db.close()
        else:
            return db
    log = path.with_name(f"{path.name}-wal")
    unfinished = log.exists() and log.stat().st_size > 0
    return connect(f"{path.absolute().as_uri()}?mode=ro{'' if unfinished else '&immutable=1'}")


class transaction:  # noqa: N801 - used as a function is
    """A transaction, which by default holds the write lock: all that is done inside, or nothing.

    It is no generator: an interrupt just before the block would leave that suspended until it is
    collected. What an interrupt leaves open here, the next transaction rolls back.
    """

    def __init__(self, db: sqlite3.Connection, begin: str = "begin immediate") -> None:
        self._db = db
        self._begin = begin

    def __enter__(self) -> None:
        self._db.rollback()
        self._db.execute(self._begin)

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        try:
            if failure is None:
                self._db.execute("commit")
        finally:
            self._db.rollback()
