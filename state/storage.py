"""Where threads and traces are kept: in the home, or in the database that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from state.home_db import HomeDb
from state.settings import Settings
from state.trace_store import TraceStore

if TYPE_CHECKING:
    from state.team_db import TeamDb


def threads_database(settings: Settings) -> HomeDb | TeamDb:
    """What turns and checkpoints are kept in: `threads` where it is set, else as
    `store_database`. It connects when it is first used. Raises UsageError where `threads` is no URL
    of a Postgres, RemoteStoreError where the store cannot be reached.
    """
    if settings.threads is None:
        return store_database(settings)
    from state.team_db import TeamDb

    return TeamDb(settings.threads)


def store_database(settings: Settings) -> HomeDb | TeamDb:
    """The shared store, if this role may write there, else the home; raises RemoteStoreError where
    the store cannot be reached.
    """
    if settings.store is None or not _may_write(settings.store, settings.store_schema):
        return HomeDb(settings.home)
    from state.team_db import TeamDb

    return TeamDb(settings.store, settings.store_schema)


def open_traces(settings: Settings) -> TraceStore:
    """The traces in `store_database`."""
    runs, days = settings.trace_keep, settings.trace_days
    return TraceStore(store_database(settings), runs=runs, days=days)


_writable: set[tuple[str, str]] = set()
"""Where it was found to write. Where it may not it is asked again: something may be ingested."""


def _may_write(url: str, schema: str) -> bool:
    """Whether what this role asks can be kept there; False too where nothing was ingested."""
    from state.postgres import connect, fetch_value, postgres_failures, server_address

    if (url, schema) in _writable:
        return True
    with postgres_failures(server_address(url)), connect(url, schema) as db:
        may = "select coalesce(has_table_privilege(to_regclass(%s), 'insert'), false)"
        if fetch_value(db, may, f"{schema}.traces"):
            _writable.add((url, schema))
    return (url, schema) in _writable
