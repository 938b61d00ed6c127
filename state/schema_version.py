"""The version of the schema of an SQLite file, kept thrice: a flipped bit of one is outvoted.

SQLite's header has two numbers for the program: the version stands in one, and twice in the
other, after two letters.
"""

from __future__ import annotations

import sqlite3

_LETTERS = int.from_bytes(b"CR", "big") << 16
_OLDER = (0, int.from_bytes(b"CRAG", "big"))
"""What stands in the other of a file that was written before there were three."""


def read_version(db: sqlite3.Connection) -> int:
    """0 of a file that has none yet."""
    version, mark = _header(db)
    first, second = mark >> 8 & 0xFF, mark & 0xFF
    return first if first == second != 0 else version


def write_version(db: sqlite3.Connection, version: int) -> None:
    """A version of 1 to 255."""
    db.execute(f"pragma user_version = {version}")
    db.execute(f"pragma application_id = {_mark(version)}")


def is_noted(db: sqlite3.Connection) -> bool:
    """Whether all three say the same."""
    version, mark = _header(db)
    return mark == _mark(version)


def is_damaged(db: sqlite3.Connection) -> bool:
    """Whether one of the three has changed; in an older file that is not known."""
    return not is_noted(db) and _header(db)[1] not in _OLDER


def _mark(version: int) -> int:
    return _LETTERS | version << 8 | version


def _header(db: sqlite3.Connection) -> tuple[int, int]:
    (version,) = db.execute("pragma user_version").fetchone()
    (mark,) = db.execute("pragma application_id").fetchone()
    return version, mark
