"""The version of the schema of an SQLite file, kept thrice: a flipped bit of one is outvoted.

SQLite's header has two numbers for the program: the version stands in one, and twice in the
other, after two letters.
"""

from __future__ import annotations

import sqlite3

from state.errors import StorageError

_LETTERS = int.from_bytes(b"CR", "big") << 16
_NONE = 0
"""What stands in the other of a file that has no version."""
_HINT = "Move it away, or read it with that crag."


def read_version(db: sqlite3.Connection) -> int:
    """0 of a file that has none yet."""
    version, mark = _header(db)
    first, second = mark >> 8 & 0xFF, mark & 0xFF
    return first if first == second != 0 else version


def refuse_other(found: int, known: int, what: str, hint: str = _HINT) -> None:
    """Raises StorageError where another program wrote `what`, also one before the first release:
    then `hint` says what to do.
    """
    if found > known:
        raise StorageError(
            f"{what} was written by a newer crag (version {found}).", "Update this installation."
        )
    if 0 < found < known:
        raise StorageError(
            f"{what} was written by a crag before its first release (version {found}).", hint
        )


def write_version(db: sqlite3.Connection, version: int) -> None:
    """A version of 1 to 255."""
    db.execute(f"pragma user_version = {version}")
    db.execute(f"pragma application_id = {_mark(version)}")


def is_damaged(db: sqlite3.Connection) -> bool:
    """Whether one of the three has changed."""
    version, mark = _header(db)
    return mark not in (_mark(version), _NONE)


def _mark(version: int) -> int:
    return _LETTERS | version << 8 | version


def _header(db: sqlite3.Connection) -> tuple[int, int]:
    (version,) = db.execute("pragma user_version").fetchone()
    (mark,) = db.execute("pragma application_id").fetchone()
    return version, mark
