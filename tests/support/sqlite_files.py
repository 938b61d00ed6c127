"""The files of a home as SQLite sees them, past the program."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def run_sql(file: Path, statement: str, *values: object) -> list[Any]:
    """The rows that it gives, by a connection of its own."""
    with closing(sqlite3.connect(file)) as db, db:
        return db.execute(statement, values).fetchall()
