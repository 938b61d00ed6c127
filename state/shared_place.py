"""Where threads and traces are kept: in the home, or in the database that the settings name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from state.home_db import HomeDb
from state.settings import Settings
from state.trace_store import TraceBounds, TraceStore
from state.turns import Clock, utc_now

if TYPE_CHECKING:
    from state.checkpoints import Checkpoints
    from state.team_db import TeamDb
    from state.turn_store import TurnStore


class SharedPlace(NamedTuple):
    """A database and its schema (None: the first it looks in); the home, where `url` is None."""

    url: str | None = None
    schema: str | None = None


def threads_place(settings: Settings) -> SharedPlace:
    """`threads` where it is set, else the shared store, else the home.

    Raises:
        RemoteStoreError: the store cannot be reached.
    """
    return SharedPlace(settings.threads) if settings.threads is not None else store_place(settings)


def store_place(settings: Settings) -> SharedPlace:
    """The shared store, if this role may write there, else the home; raises as `threads_place`."""
    if settings.store is not None and _may_write(settings.store, settings.store_schema):
        return SharedPlace(settings.store, settings.store_schema)
    return SharedPlace()


def open_turn_store(
    home: Path, url: str | None = None, schema: str | None = None, clock: Clock = utc_now
) -> TurnStore:
    """The turns of this CRAG_HOME, or of a schema of the Postgres at `url`. Connects at the first
    use.

    Raises:
        UsageError: the URL is none of Postgres.
    """
    from state.turn_store import TurnStore

    return TurnStore(_database(home, url, schema), clock)


def open_checkpoints(home: Path, url: str | None = None, schema: str | None = None) -> Checkpoints:
    """The checkpoints beside those turns; connects and raises as `open_turn_store`."""
    from state.checkpoints import Checkpoints

    return Checkpoints(_database(home, url, schema))


def open_traces(settings: Settings) -> TraceStore:
    """The traces of the shared store, where the settings name one in which this role may write;
    else those of the home.

    Raises:
        RemoteStoreError: the store cannot be reached.
    """
    bounds = TraceBounds(settings.trace_keep, settings.trace_days, settings.trace_megabytes)
    return TraceStore(_database(settings.home, *store_place(settings)), bounds)


def _database(home: Path, url: str | None, schema: str | None) -> HomeDb | TeamDb:
    if url is None:
        return HomeDb(home)
    from state.team_db import TeamDb

    return TeamDb(url, schema)


_writable: set[tuple[str, str]] = set()
"""Where it was found to write. Where it may not it is asked again: something may be ingested."""


def _may_write(url: str, schema: str) -> bool:
    """Whether what this role asks can be kept there; False too where nothing was ingested."""
    from state.postgres import connect, place, postgres_failures, value

    if (url, schema) in _writable:
        return True
    with postgres_failures(place(url)), connect(url, schema) as db:
        may = "select coalesce(has_table_privilege(to_regclass(%s), 'insert'), false)"
        if value(db, may, f"{schema}.traces"):
            _writable.add((url, schema))
    return (url, schema) in _writable
