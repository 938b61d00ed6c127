"""What every command reads of a database before its rows: the version and its schema.

SQLite checks neither: with a flipped bit a column's type, a condition or a trigger may well be
read as another. A table, index or trigger whose words are as long as those that this version of
crag writes, and not the same, has changed; those of another length are of another version.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from state.errors import CragError
from state.schema_version import is_damaged, read_version, write_version
from state.sqlite_file import connect, connect_to_read, sqlite_failures, transaction

Make = Callable[[sqlite3.Connection], object]
_Words = tuple[bytes, bytes, bytes, bytes]
"""Type, name, table and SQL, as they are in sqlite_schema."""

_AS_IT_IS = "pragma writable_schema = on"
"""SQLite then reads and writes also words that make no schema."""


def schema_fault(path: Path, make: Make) -> str | None:
    """What is wrong with it, in words; None where nothing is, or SQLite cannot read it at all.
    `make` makes the tables that belong there.
    """
    try:
        with sqlite_failures(path.name), closing(connect_to_read(path)) as db:
            db.execute(_AS_IT_IS)
            if is_damaged(db):
                return "its version is damaged"
            if changed := sorted(words[1].decode() for _, words in _changed(db, make)):
                return f"the schema of {', '.join(changed)} is damaged"
    except CragError:
        return None  # found, and named, by the check of the file
    return None


def repair_schema(path: Path, make: Make) -> None:
    """Rows are left as they are.

    Raises:
        StorageError, StoreBusyError: the file cannot be written.
    """
    with sqlite_failures(path.name), closing(connect(path)) as db:
        db.execute(_AS_IT_IS)
        with transaction(db):
            if is_damaged(db):
                write_version(db, read_version(db))
            db.executemany(
                "update sqlite_schema set type = ?, name = ?, tbl_name = ?, sql = ?"
                " where rowid = ?",
                [(*(each.decode() for each in words), row) for row, words in _changed(db, make)],
            )


def _changed(db: sqlite3.Connection, make: Make) -> Iterator[tuple[int, _Words]]:
    """The row of each table, index and trigger whose words have changed, and what they were."""
    with closing(connect(":memory:")) as fresh:
        make(fresh)
        made = _words(fresh)
    held = _words(db)
    for words in made.keys() - held.keys():
        for other in held.keys() - made.keys():
            if list(map(len, other)) == list(map(len, words)) and _near(other, words):
                yield held[other], words


def _near(words: _Words, others: _Words) -> bool:
    """Whether most of them are the same."""
    pairs = list(zip(b"".join(words), b"".join(others), strict=True))
    return sum(one != other for one, other in pairs) * 4 < len(pairs)


def _words(db: sqlite3.Connection) -> dict[_Words, int]:
    rows = db.execute(
        "select cast(type as blob), cast(name as blob), cast(tbl_name as blob),"
        " cast(sql as blob), rowid from sqlite_schema where sql is not null"
    )
    return {(kind, name, table, sql): row for kind, name, table, sql, row in rows}
