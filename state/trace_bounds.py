"""How much of the past is kept: traces by days of use, by number of runs and by size."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from state.settings import Settings

_DAY = 86_400.0
_JUMP = 30 * _DAY


@dataclass(frozen=True, slots=True)
class TraceBounds:
    """A research run and the questions it asked count as one run, and go together."""

    runs: int = 500
    days: int = 90
    megabytes: int = 200


def bounds_of(settings: Settings) -> TraceBounds:
    return TraceBounds(settings.trace_keep, settings.trace_days, settings.trace_megabytes)


def too_old(created: Iterable[tuple[int, float]], days: int) -> int | None:
    """The newest of those (row, seconds since 1970), newest row first, that are older than `days`
    days of use; None when none is. A gap of a month or more adds nothing, nor does one backwards:
    the clock may have jumped.
    """
    age, later = 0.0, None
    for row, at in created:
        if later is not None and 0 < later - at < _JUMP:
            age += later - at
        if age > days * _DAY:
            return row
        later = at
    return None


def drop_old(db: sqlite3.Connection, bounds: TraceBounds) -> None:
    """Drop what is older than it may be; inside the caller's transaction."""
    created = db.execute("select rowid, created_at from traces order by rowid desc")
    if (last := too_old(created, bounds.days)) is not None:
        db.execute("delete from traces where rowid <= ?", (last,))


def drop_most(db: sqlite3.Connection, bounds: TraceBounds) -> None:
    """Drop the oldest runs past the number and the size; the newest always stays."""
    runs = db.execute(
        "select coalesce(parent, id) as run, max(created_at), sum(length(body)) from traces"
        " group by run order by 2 desc, max(rowid) desc"
    ).fetchall()
    size = 0
    for place, (run, _, octets) in enumerate(runs):
        size += octets
        if place and (place >= bounds.runs or size > bounds.megabytes * 1_000_000):
            db.execute("delete from traces where id = ? or parent = ?", (run, run))
