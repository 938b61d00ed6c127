"""The slice of a thread that a model is shown: its newest whole turns within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from state.answer import Answer
from state.passages import HistoryTurn

if TYPE_CHECKING:
    from state.turn_store import TurnStore
    from state.turns import TurnCost

CountTokens = Callable[[str], int]


def history_slice(newest_first: Sequence[TurnCost], budget: int) -> list[TurnCost]:
    """The turns a model may see, oldest first; a turn costs its question and its answer.

    The newest turn always comes along; a follow-up means nothing without it. Then come the
    milestones that fit, then turns from the newest on, up to the first that does not fit.
    """
    taken = set(newest_first[:1])
    left = budget - sum(turn.cost for turn in taken)
    for turn in newest_first:
        if turn.milestone and turn not in taken and turn.cost <= left:
            taken.add(turn)
            left -= turn.cost
    for turn in newest_first:
        if turn in taken:
            continue
        if turn.cost > left:
            break
        taken.add(turn)
        left -= turn.cost
    return sorted(taken)


def turn_costs(store: TurnStore, thread: str, budget: int, count: CountTokens) -> list[TurnCost]:
    """What each turn of a thread costs, newest first. Tokens are counted, and stored with the
    turns, only if the bytes exceed the budget: loading the counter takes a quarter of a second.
    """
    costs = store.costs(thread)
    if sum(turn.cost for turn in costs) <= budget:
        return costs
    counted: dict[int, int] = {}
    for turn in costs:
        if turn.tokens is None:
            answer = store.turn(thread, turn.number).answer
            counted[turn.number] = count(answer["question"]) + count(answer["answer"])
    if counted:
        store.note_tokens(thread, counted)
    return [turn._replace(tokens=counted.get(turn.number, turn.tokens)) for turn in costs]


def read_history(
    store: TurnStore,
    thread: str,
    budget: int,
    count: CountTokens,
    known: Sequence[HistoryTurn] = (),
) -> list[HistoryTurn]:
    """The slice of one thread. Turns that a checkpoint holds, `known`, are taken from there, the
    others are read from the store; raises what the store raises.
    """
    held = {turn["turn"]: turn for turn in known}
    found: list[HistoryTurn] = []
    for turn in history_slice(turn_costs(store, thread, budget, count), budget):
        if turn.number in held:
            found.append({**held[turn.number], "milestone": turn.milestone})
        else:
            answer = store.turn(thread, turn.number).answer
            found.append(to_history_turn(answer, turn.number, milestone=turn.milestone))
    return found


def to_history_turn(answer: Answer, number: int, *, milestone: bool) -> HistoryTurn:
    """A finished turn as later turns see it."""
    return {
        "question": answer["question"],
        "standalone_question": answer["standalone_question"],
        "answer": "" if answer["status"] == "abstained" else answer["answer"],
        "turn": number,
        "milestone": milestone,
    }
