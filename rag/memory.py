"""A session's threads: their turns, the slice that a model is shown, their checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING

from state.closing import Closing
from state.errors import UsageError
from state.history import read_history
from state.home_db import HomeDb
from state.passages import HistoryTurn
from state.tokens import count_tokens
from state.trace_store import open_traces
from state.turn_store import TurnStore

if TYPE_CHECKING:
    from state.checkpoints import Checkpoints
    from state.settings import Settings
    from state.team_db import TeamDb


def threads_database(settings: Settings) -> HomeDb | TeamDb:
    """The database of turns and checkpoints: the home's, or the Postgres of `threads`. It connects
    on first use.
    """
    if settings.threads is None:
        return HomeDb(settings.home)
    from state.team_db import TeamDb

    return TeamDb(settings.threads)


class ThreadMemory(Closing):
    """The threads of the settings' home or Postgres, connected when first used."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._opened = ExitStack()
        self.store = self._opened.enter_context(TurnStore(threads_database(settings)))

    def close(self) -> None:
        self._opened.close()

    @cached_property
    def checkpoints(self) -> Checkpoints:
        from state.checkpoints import Checkpoints

        return self._opened.enter_context(Checkpoints(threads_database(self.settings)))

    def history(self, thread: str, known: Sequence[HistoryTurn] = ()) -> list[HistoryTurn]:
        """The slice of earlier turns within `history_tokens`, oldest first; turns `known` from a
        checkpoint are not read again.
        """
        budget = self.settings.history_tokens
        return read_history(self.store, thread, budget, count_tokens, known)

    def collection(self, thread: str) -> str | None:
        """The collection that the thread asked last; None if its last turn does not say."""
        newest = self.store.newest(thread)
        return None if newest is None else newest.collection

    def newest_thread(self) -> str:
        """The thread used last.

        Raises:
            UsageError: there is none yet.
        """
        threads = self.store.threads()
        if not threads:
            raise UsageError("There is no thread to continue.", "Name a new one with --thread.")
        return threads[0].name

    def delete(self, thread: str) -> int:
        """Forget a thread with its checkpoint and its traces here; returns its number of turns."""
        turns = self.store.delete(thread)
        self.checkpoints.delete(thread)
        with open_traces(self.settings) as traces:
            traces.delete_thread(thread)
        return turns
