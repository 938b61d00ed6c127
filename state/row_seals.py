"""Checksums of the rows of small tables, kept by triggers whoever writes them.

SQLite keeps none of what it stores: a flipped bit is read back as if it had been written. Each
sealed table has a table of checksums beside it, under the same keys, so tables of others
(LangGraph's) can be sealed as they are.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence

_FUNCTION = "crag_crc"


def know_checksums(db: sqlite3.Connection) -> None:
    """Every connection that writes to a sealed table needs the function of its triggers."""
    db.create_function(_FUNCTION, -1, _checksum, deterministic=True)


def seal_rows(db: sqlite3.Connection, tables: Sequence[str]) -> None:
    """From now on every row of `tables`, which have primary keys, has a checksum."""
    for table in tables:
        columns, keys = columns_of(db, table)
        names = ", ".join(keys)
        old = " and ".join(f"{key} = old.{key}" for key in keys)
        new = ", ".join(f"new.{key}" for key in keys)
        forget = f"delete from {table}_seals where {old};"
        note = f"insert or replace into {table}_seals values ({new}, {crc_of('new', columns)});"
        db.execute(
            f"create table if not exists {table}_seals"
            f" ({names}, crc integer not null, primary key ({names})) without rowid"
        )
        for event, deed in (("insert", note), ("update", forget + note), ("delete", forget)):
            db.execute(
                f"create trigger if not exists {table}_seals_{event} after {event} on {table}"
                f" begin {deed} end"
            )


def damaged_rows(db: sqlite3.Connection, tables: Sequence[str]) -> dict[str, int]:
    """How many rows of each table are not what was written, or are lost; tables that are not
    sealed, and those that are sound, are left out.

    Raises:
        sqlite3.Error: the file is not as it should be, or a trigger.
    """
    found = {}
    for table in _sealed(db, tables):
        key = columns_of(db, table)[1][0]
        for deed in ("insert into {0} default values", "update {0} set {1} = 0", "delete from {0}"):
            db.execute(f"explain {deed.format(table, key)}")  # are its triggers sound?
        wrong = [
            db.execute(f"select count(*) from ({query})").fetchone()[0]
            for query in _wrong_keys(db, table).values()
        ]
        if any(wrong):
            found[table] = sum(wrong)
    return found


def drop_damaged_rows(db: sqlite3.Connection, tables: Sequence[str]) -> None:
    """Takes out the rows that `damaged_rows` counts; inside a transaction of the caller."""
    for table in _sealed(db, tables):
        names = ", ".join(columns_of(db, table)[1])
        for held, query in _wrong_keys(db, table).items():
            db.execute(f"delete from {held} where ({names}) in ({query})")


def _wrong_keys(db: sqlite3.Connection, table: str) -> dict[str, str]:
    """By the table that they are to be taken from, what selects the keys of the rows that are not
    what was written, and of those that are lost.
    """
    columns, keys = columns_of(db, table)
    names = ", ".join(keys)
    return {
        table: f"select {names} from {table} as held join {table}_seals as seal using ({names})"
        f" where seal.crc is not {crc_of('held', columns)}",
        f"{table}_seals": f"select {names} from {table}_seals except select {names} from {table}",
    }


def _sealed(db: sqlite3.Connection, tables: Sequence[str]) -> list[str]:
    held = {name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")}
    return [table for table in tables if {table, f"{table}_seals"} <= held]


def columns_of(db: sqlite3.Connection, table: str) -> tuple[list[str], list[str]]:
    """All columns, and those of the primary key in its order."""
    rows = db.execute("select name, pk from pragma_table_info(?)", (table,)).fetchall()
    keys = sorted((place, name) for name, place in rows if place)
    return [name for name, _ in rows], [name for _, name in keys]


def crc_of(row: str, columns: Sequence[str]) -> str:
    """A damaged text may be no text: every value is read as bytes."""
    return f"{_FUNCTION}({', '.join(f'cast({row}.{name} as blob)' for name in columns)})"


def _checksum(*values: bytes | None) -> int:
    return zlib.crc32(repr(values).encode())
