"""Rows changed as a disk changes them: past the triggers that keep their checksums."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path


@contextmanager
def unwatched(path: Path, table: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as db, db:
        triggers = db.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?", (table,)
        ).fetchall()
        for name, _ in triggers:
            db.execute(f"DROP TRIGGER {name}")
        yield db
        for _, definition in triggers:
            db.execute(definition)
