"""The databases of threads and of traces that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from state.home_db import HomeDb
from state.settings import Settings
from state.trace_store import TraceStore

if TYPE_CHECKING:
    from state.team_db import TeamDb


def threads_database(settings: Settings) -> HomeDb | TeamDb:
    """The database of turns and checkpoints: the home's, or the Postgres of `threads`. It connects
    on first use. Raises UsageError if `threads` is no Postgres URL.
    """
    if settings.threads is None:
        return HomeDb(settings.home)
    from state.team_db import TeamDb

    return TeamDb(settings.threads)


def open_traces(settings: Settings) -> TraceStore:
    return TraceStore(settings.home, runs=settings.trace_keep, days=settings.trace_days)
