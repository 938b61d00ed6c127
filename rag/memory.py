"""A session's threads: their turns, their checkpoints, and what a model is shown of them: the
newest whole turns within a token budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

from state.closing import Closing
from state.errors import UsageError
from state.home_db import HomeDb
from state.passages import HistoryTurn, to_history_turn
from state.tokens import count_tokens
from state.trace_store import TraceStore
from state.turn_store import TurnStore

if TYPE_CHECKING:
    from state.checkpoints import Checkpoints
    from state.postgres import TeamDb
    from state.settings import Settings


def threads_database(settings: Settings) -> HomeDb | TeamDb:
    """The database of turns and checkpoints: the home's, or the Postgres of `threads`. It connects
    on first use.
    """
    if settings.threads is None:
        return HomeDb(settings.home)
    from state.postgres import TeamDb

    return TeamDb(settings.threads)


class ThreadMemory(Closing):
    """The threads of the settings' home or Postgres, connected when first used."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = self._held.enter_context(TurnStore(threads_database(settings)))

    @cached_property
    def checkpoints(self) -> Checkpoints:
        from state.checkpoints import Checkpoints

        return self._held.enter_context(Checkpoints(threads_database(self.settings)))

    def history(self, thread: str, known: Sequence[HistoryTurn] = ()) -> list[HistoryTurn]:
        """The slice of earlier turns within `history_tokens`, oldest first; turns `known` from a
        checkpoint are not read again.

        Tokens are counted only if the thread's bytes, which are never fewer, exceed the budget:
        loading the counter takes a quarter of a second.
        """
        turns, budget = self.store.numbers(thread), self.settings.history_tokens
        milestones, held = dict(turns), {turn["turn"]: turn for turn in known}

        @cache
        def read(number: int) -> HistoryTurn:
            milestone = milestones[number]
            if number in held:
                return {**held[number], "milestone": milestone}
            answer = self.store.turn(thread, number).answer
            return to_history_turn(answer, number, milestone=milestone)

        def cost(number: int, counted: Callable[[str], int]) -> int:
            turn = read(number)
            return counted(turn["question"]) + counted(turn["answer"])

        def octets(text: str) -> int:
            return len(text.encode("utf-8", "surrogatepass"))

        shown = history_slice(turns, lambda number: cost(number, octets), budget)
        if len(shown) < len(turns):
            shown = history_slice(turns, cache(lambda number: cost(number, count_tokens)), budget)
        return [read(number) for number in shown]

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
        with TraceStore(self.settings) as traces:
            traces.delete_thread(thread)
        return turns


def history_slice(
    newest_first: Sequence[tuple[int, bool]], cost: Callable[[int], int], budget: int
) -> list[int]:
    """The numbers of the turns a model may see, oldest first, from each turn's number and whether
    it is a milestone.

    The newest turn always comes along; a follow-up means nothing without it. Then come the
    milestones that fit, then turns from the newest on, up to the first that does not fit.
    """
    milestones_first = sorted(newest_first[1:], key=lambda turn: not turn[1])
    taken: list[int] = []
    for number, milestone in (*newest_first[:1], *milestones_first):
        if not taken or cost(number) <= budget:
            taken.append(number)
            budget -= cost(number)
        elif not milestone:
            break
    return sorted(taken)
