"""The slice of a thread that a model is shown: its newest whole turns within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from state.answer import Answer
from state.passages import HistoryTurn

if TYPE_CHECKING:
    from state.turn_store import TurnStore

CountTokens = Callable[[str], int]


def history_slice(
    newest_first: Sequence[tuple[int, bool]], cost: Callable[[int], int], budget: int
) -> list[int]:
    """The numbers of the turns a model may see, oldest first, from each turn's number and whether
    it is a milestone.

    The newest turn always comes along; a follow-up means nothing without it. Then come the
    milestones that fit, then turns from the newest on, up to the first that does not fit.
    """
    taken = {number for number, _ in newest_first[:1]}
    left = budget - sum(map(cost, taken))
    for number, milestone in newest_first:
        if milestone and number not in taken and cost(number) <= left:
            taken.add(number)
            left -= cost(number)
    for number, _ in newest_first:
        if number in taken:
            continue
        if cost(number) > left:
            break
        taken.add(number)
        left -= cost(number)
    return sorted(taken)


def read_history(
    store: TurnStore,
    thread: str,
    budget: int,
    count: CountTokens,
    known: Sequence[HistoryTurn] = (),
) -> list[HistoryTurn]:
    """The slice of one thread. Turns that a checkpoint holds, `known`, are taken from there, the
    others are read from the store; raises what the store raises.

    Tokens are counted only if the thread's bytes, which are never fewer, exceed the budget: loading
    the counter takes a quarter of a second.
    """
    turns = store.numbers(thread)
    milestones, held = dict(turns), {turn["turn"]: turn for turn in known}

    @cache
    def read(number: int) -> HistoryTurn:
        milestone = milestones[number]
        if number in held:
            return {**held[number], "milestone": milestone}
        return to_history_turn(store.turn(thread, number).answer, number, milestone=milestone)

    def cost(number: int, counted: CountTokens) -> int:
        turn = read(number)
        return counted(turn["question"]) + counted(turn["answer"])

    shown = history_slice(turns, lambda number: cost(number, _octets), budget)
    if len(shown) < len(turns):
        shown = history_slice(turns, cache(lambda number: cost(number, count)), budget)
    return [read(number) for number in shown]


def _octets(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def to_history_turn(answer: Answer, number: int, *, milestone: bool) -> HistoryTurn:
    """A finished turn as later turns see it."""
    return {
        "question": answer["question"],
        "standalone_question": answer["standalone_question"],
        "answer": "" if answer["status"] == "abstained" else answer["answer"],
        "turn": number,
        "milestone": milestone,
    }
