"""How many finished research runs are kept, and for how long."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from state.settings import Settings
from state.trace_bounds import too_old

_OF_A_RUN = ("artifacts", "plans", "warnings")
_FINISHED = "select rowid, created_at from runs where state = 'finished' order by rowid desc"
_TOO_MANY = """
select id from runs where state = 'finished' and (rowid <= ? or id not in (
    select id from runs where state = 'finished' order by rowid desc limit ?))
"""


@dataclass(frozen=True, slots=True)
class JournalBounds:
    """Of finished runs; one that can go on stays until it has."""

    runs: int = 100
    days: int = 90


def journal_bounds(settings: Settings) -> JournalBounds:
    return JournalBounds(settings.research_keep, settings.research_days)


def drop_finished(db: sqlite3.Connection, bounds: JournalBounds) -> None:
    """Drop what is too old or too much; inside the caller's transaction."""
    values = (too_old(db.execute(_FINISHED), bounds.days) or 0, bounds.runs)
    for (run,) in db.execute(_TOO_MANY, values).fetchall():
        for table in _OF_A_RUN:
            db.execute(f"delete from {table} where run = ?", (run,))  # noqa: S608 - a constant
        db.execute("delete from runs where id = ?", (run,))
