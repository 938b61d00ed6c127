"""What a folder of vectors held when it was sealed, as numbers that any damage changes.

Chroma reads its files as they are: a few flipped bits in its graph end the process that opens
it, or hang it. So the folder is compared with its seal before it is opened.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from rag.index.chroma import VectorsDamaged
from state.errors import storage_error
from state.sqlite_file import error_code, readable, storage_failure

_DATABASE = "chroma.sqlite3"
_LIMITS = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_IOERR)
_SAVED = "index_metadata.pickle"
_READ_BYTES = 1 << 20
# Chroma notes every opening here.
_UNSTABLE = "acquire_write"


def files_digest(folder: Path) -> str:
    """The size of all files but the database, and CRC-32 of their names and bytes. No crash
    comes from the database, and it is written whenever it is opened.

    Raises:
        VectorsDamaged: a file cannot be read.
    """
    found = 0
    with _damage():
        files = _files(folder)
        for path in files:
            found = zlib.crc32(f"{path.relative_to(folder)}\n".encode(), found)
            with path.open("rb") as file:
                while data := file.read(_READ_BYTES):
                    found = zlib.crc32(data, found)
        return f"{_size(files)}-{found:08x}"


def files_match(folder: Path, digest: str) -> bool:
    """Whether `files_digest` gave this; a damaged graph can fill a disk, so sizes come first.

    Raises:
        VectorsDamaged: a file cannot be read.
    """
    with _damage():
        if str(_size(_files(folder))) != digest.partition("-")[0]:
            return False
    return files_digest(folder) == digest


def _files(folder: Path) -> list[Path]:
    """A graph that was never saved is not read: each opening writes it anew, from the database."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not path.name.startswith(_DATABASE)
        and (path.parent == folder or (path.parent / _SAVED).is_file())
    )


def _size(files: list[Path]) -> int:
    return sum(path.stat().st_size for path in files)


@contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # A limit of this process or of the disk says nothing about what is stored.
        raise (storage_error(error) or VectorsDamaged(error.strerror)) from error


def rows_digest(folder: Path) -> str:
    """CRC-32 of what the database holds, after SQLite's own check of it.

    Raises:
        VectorsDamaged: SQLite finds fault with it.
    """
    found = 0
    path = folder / _DATABASE
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
        ) as database:
            database.text_factory = readable
            for (line,) in database.execute("PRAGMA integrity_check(1)"):
                if line != "ok":
                    raise VectorsDamaged(line)
            tables = database.execute(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name <> ?"
                " ORDER BY name",
                (_UNSTABLE,),
            ).fetchall()
            for name, definition in tables:
                found = zlib.crc32(repr(definition).encode(), found)
                for row in database.execute(f'SELECT * FROM "{name}"'):
                    found = zlib.crc32(repr(row).encode(), found)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes what is damaged
        if isinstance(error, sqlite3.Error) and error_code(error) in _LIMITS:
            raise storage_failure(error, f"The vector store {path}", "") from error
        raise VectorsDamaged(str(error)) from error
    return f"{found:08x}"
