"""What every command reads of a database before its rows: the version and the words of its schema.

SQLite checks neither: with a flipped bit a column's type, a condition or a trigger may well be
read as another. Words as long as those that this version of crag writes, and not the same, have
changed; those of another length are of another version.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from rag.index import catalog_schema
from rag.index.catalog import FILE_NAME as CATALOG_FILE
from rag.research.journal import JOURNAL_FILE
from rag.research.journal import make_tables as make_journal
from state.checkpoints import CHECKPOINTS_FILE
from state.checkpoints_sqlite import make_tables as make_checkpoints
from state.errors import CragError
from state.schema_version import is_damaged, read_version, write_version
from state.sqlite_file import connect, connect_to_read, sqlite_failures, transaction
from state.threads_sqlite import make_tables as make_threads
from state.trace_store import TRACES_FILE
from state.trace_store import make_tables as make_traces
from state.turn_store import THREADS_FILE

_MAKERS: dict[str, Callable[[sqlite3.Connection], object]] = {
    CATALOG_FILE: catalog_schema.create,
    THREADS_FILE: make_threads,
    CHECKPOINTS_FILE: make_checkpoints,
    TRACES_FILE: make_traces,
    JOURNAL_FILE: make_journal,
}

_AS_IT_IS = "pragma writable_schema = on"
"""SQLite then reads and writes also words that make no schema."""


def schema_fault(path: Path) -> str | None:
    """What is wrong with it, in words; None where nothing is, or SQLite cannot read it at all."""
    try:
        with sqlite_failures(path.name), closing(connect_to_read(path)) as db:
            db.execute(_AS_IT_IS)
            if is_damaged(db):
                return f"{path.name}: its version is damaged"
            if changed := _changed(db, path.name):
                return f"{path.name}: the schema of {', '.join(sorted(changed))} is damaged"
    except CragError:
        return None  # found, and named, by the check of the file
    return None


def mend_schemas(home: Path, tell: Callable[[str], None]) -> None:
    """Rows are left as they are.

    Raises:
        StorageError, StoreBusyError: a file cannot be written.

    """
    for name in _MAKERS:
        path = home / name
        if not path.exists() or schema_fault(path) is None:
            continue
        with sqlite_failures(name), closing(connect(path)) as db:
            db.execute(_AS_IT_IS)
            with transaction(db):
                if is_damaged(db):
                    write_version(db, read_version(db))
                db.executemany(
                    "update sqlite_schema set sql = ? where name = ?",
                    [(sql.decode(), each) for each, sql in _changed(db, name).items()],
                )
        tell(f"{name}: writing its schema again")


def _changed(db: sqlite3.Connection, name: str) -> dict[str, bytes]:
    """What the words were of each table, index and trigger whose words have changed."""
    with closing(connect(":memory:")) as fresh:
        _MAKERS[name](fresh)
        made = _words(fresh)
    held = _words(db)
    return {
        each: sql
        for each, sql in made.items()
        if len(held.get(each, b"")) == len(sql) and held[each] != sql
    }


def _words(db: sqlite3.Connection) -> dict[str, bytes]:
    rows = db.execute("select name, cast(sql as blob) from sqlite_schema where sql is not null")
    return dict(rows.fetchall())
