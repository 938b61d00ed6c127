"""Where threads and traces are kept: in the home, or in the database that the settings name."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from state.settings import Settings
from state.trace_store import TraceBounds, TraceStore
from state.turn_store import THREADS_FILE, TurnStore

if TYPE_CHECKING:
    from state.checkpoints import Checkpoints

_TRACE_WORDS = (("instr(", "0 < strpos("),)


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


def open_turn_store(home: Path, url: str | None = None, schema: str | None = None) -> TurnStore:
    """The turns of this CRAG_HOME, or of a schema of the Postgres at `url`. Connects at the first
    use.

    Raises:
        UsageError: the URL is none of Postgres.
    """
    if url is None:
        from state.threads_sqlite import SqliteTurnStore

        return SqliteTurnStore(home / THREADS_FILE)
    from state.threads_postgres import PostgresTurnStore

    return PostgresTurnStore(url, schema=schema)


def open_checkpoints(home: Path, url: str | None = None, schema: str | None = None) -> Checkpoints:
    """The checkpoints beside those turns; connects and raises as `open_turn_store`."""
    if url is None:
        from state.checkpoints import CHECKPOINTS_FILE
        from state.checkpoints_sqlite import SqliteCheckpoints

        return SqliteCheckpoints(home / CHECKPOINTS_FILE)
    from state.checkpoints_postgres import PostgresCheckpoints

    return PostgresCheckpoints(url, schema)


def open_traces(settings: Settings) -> TraceStore:
    """The traces of the shared store, where the settings name one in which this role may write;
    else those of the home.

    Raises:
        RemoteStoreError: the store cannot be reached.
    """
    place = store_place(settings)
    bounds = TraceBounds(settings.trace_keep, settings.trace_days, settings.trace_megabytes)
    if place.url is None:
        return TraceStore(settings.home, bounds)
    from state.postgres import PostgresPlace

    shared = PostgresPlace(place.url, place.schema, _TRACE_WORDS)
    return TraceStore(settings.home, bounds, shared)


@cache
def _may_write(url: str, schema: str) -> bool:
    """Whether what this role asks can be kept there; False too where nothing was ingested."""
    from state.postgres import connect, place, postgres_failures, value

    with postgres_failures(place(url)), connect(url, schema) as db:
        may = "select coalesce(has_table_privilege(to_regclass(%s), 'insert'), false)"
        return bool(value(db, may, f"{schema}.traces"))
