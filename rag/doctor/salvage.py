"""A damaged file of the home is written anew from the rows in it that are whole.

Each leaf page of the damaged file is read by itself, as if it were a whole table: neither the
header nor the schema nor the pages that lead to the leaves need be sound for that. A row is kept
where its checksum is right, or, where that is lost, where it can be read. The file as
it was is set aside.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

from rag.doctor.databases import DATABASES, Database, Row, check_database
from rag.doctor.part_check import REPAIR
from state.counting import many
from state.row_seals import columns_of, crc_of
from state.sqlite_file import (
    connect,
    create_private,
    error_code,
    is_damage,
    sqlite_failures,
    transaction,
)

_TABLE_LEAF = (13,)
_INDEX_PAGES = (2, 10)  # of an index the pages above the leaves hold rows too
_BESIDE = ("-wal", "-shm", "-journal")

_SEALS = range(1 << 20, 1 << 32)
"""Other indexes, read as if they were checksums, hold numbers of rows, which are less."""

_Seal = tuple[tuple[bytes, ...], int]
"""A row's key and its checksum."""


def salvage_databases(home: Path, report: Callable[[str], None]) -> None:
    """Those that are damaged.

    Raises:
        StorageError, StoreBusyError: a file cannot be written, or is being written.
    """
    for database in DATABASES:
        path = home / database.file
        if path.exists() and check_database(path, database).hint == REPAIR:
            with sqlite_failures(path.name):
                _salvage(path, database, report)


def _salvage(path: Path, database: Database, report: Callable[[str], None]) -> None:
    _settle(path)
    data = path.read_bytes()
    made = path.with_name(f"{path.name}.new")
    made.unlink(missing_ok=True)
    create_private(made)
    kept: dict[str, int] = {}
    seals: set[_Seal] = set()
    found: set[_Seal] = set()
    with closing(connect(made)) as db:
        database.make(db)
        with transaction(db):
            for table in database.tables:
                seals |= _seals(db, table, data)
                whole = _whole_rows(db, table, data, seals - found, database.is_whole.get(table))
                kept[table] = _insert(db, table, [row for _, row in whole.values()])
                found |= {seal for seal, _ in whole.values()}
            database.complete(db)
    rows = ", ".join(f"{many(count, 'row')} of {table}" for table, count in kept.items())
    lost = sum(crc in _SEALS for _, crc in seals - found)
    aside = _set_aside(path)
    made.replace(path)
    report(
        f"{path.name}: written again with what is whole,"
        f" {rows} ({lost or 'none'} lost); the damaged file is {aside}"
    )


def _seals(db: sqlite3.Connection, table: str, data: bytes) -> set[_Seal]:
    """The checksums of the table's rows, and of others whose keys are alike."""
    _, keys = columns_of(db, table)
    asked = [*(f"cast({name} as blob)" for name in keys), "crc"]
    both_ways = (", ".join(keys), ", ".join(f"{name} desc" for name in keys))
    rows = _read(db, f"{table}_seals", data, _INDEX_PAGES, asked, both_ways)
    return {(tuple(key), crc) for *key, crc in rows if isinstance(crc, int)}


def _whole_rows(
    db: sqlite3.Connection,
    table: str,
    data: bytes,
    seals: set[_Seal],
    can_be_read: Callable[[Row], bool] | None,
) -> dict[int, tuple[_Seal, Sequence[Any]]]:
    """In the order in which they were written."""
    columns, keys = columns_of(db, table)
    asked = ["rowid", crc_of(table, columns), *(f"cast({name} as blob)" for name in keys), *columns]
    sealed = {key for key, crc in seals if crc in _SEALS}
    whole = {}
    for rowid, crc, *values in _read(db, table, data, _TABLE_LEAF, asked, ("rowid", "rowid desc")):
        key, row = tuple(values[: len(keys)]), values[len(keys) :]
        if (key, crc) in seals or (
            can_be_read is not None
            and key not in sealed
            and can_be_read(dict(zip(columns, row, strict=True)))
        ):
            whole[rowid] = (key, crc), row
    return dict(sorted(whole.items()))


def _insert(db: sqlite3.Connection, table: str, rows: Sequence[Sequence[Any]]) -> int:
    """Returns how many of the rows there are then."""
    marks = ", ".join("?" * len(columns_of(db, table)[0]))
    db.executemany(f"insert or ignore into {table} values ({marks})", rows)  # noqa: S608 - a constant
    (held,) = db.execute(f"select count(*) from {table}").fetchone()  # noqa: S608 - a constant
    return int(held)


def _read(
    made: sqlite3.Connection,
    table: str,
    data: bytes,
    kinds: Iterable[int],
    asked: Sequence[str],
    orders: Iterable[str],
) -> Iterator[tuple[Any, ...]]:
    """What `asked` says of the rows on every page of these kinds; a row may come more than once.
    `made`: a sound file with the same tables.
    """
    (size,) = made.execute("pragma page_size").fetchone()
    (sql,) = made.execute("select sql from sqlite_schema where name = ?", (table,)).fetchone()
    pages = len(data) // size
    if pages < 2:
        return
    with closing(connect(":memory:")) as db:
        db.deserialize(_first_page(size, sql, pages) + data[size : pages * size])
        db.text_factory = lambda text: text.decode(errors="replace")
        db.execute("pragma writable_schema = on")
        roots = (page for page in range(2, pages + 1) if data[(page - 1) * size] in kinds)
        for root, version in zip(roots, count(2)):
            db.execute("update sqlite_schema set rootpage = ? where name = ?", (root, table))
            db.execute(f"pragma schema_version = {version}")  # has the schema read again
            for order in orders:  # from both ends up to what is damaged
                query = f"select {', '.join(asked)} from {table} not indexed order by {order}"  # noqa: S608
                with suppress(sqlite3.DatabaseError):
                    yield from db.execute(query)


def _first_page(size: int, sql: str, pages: int) -> bytes:
    """That of a file of so many pages with one table."""
    with closing(connect(":memory:")) as db:
        db.execute(f"pragma page_size = {size}")
        db.execute(sql)
        page = db.serialize()[:size]
    return page[:28] + pages.to_bytes(4, "big") + page[32:]


def _settle(path: Path) -> None:
    """Brings into the file what a killed writer left beside it, as far as SQLite can read it;
    a writer at work is not overtaken.
    """
    # SQLite quotes what is damaged, which may be no text.
    with closing(connect(path)) as db, suppress(UnicodeDecodeError):
        try:
            db.execute("pragma wal_checkpoint(truncate)")
            with transaction(db):
                pass
        except sqlite3.Error as error:
            if error_code(error) and not is_damage(error):
                raise


def _set_aside(path: Path) -> Path:
    """Copied, so that the file stays wherever this ends; what lies beside it is moved along."""
    names = (f"{path.name}.damaged{number or ''}" for number in count())
    aside = next(each for name in names if not (each := path.with_name(name)).exists())
    shutil.copy2(path, aside)
    for suffix in _BESIDE:
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(aside.with_name(aside.name + suffix))
    return aside
