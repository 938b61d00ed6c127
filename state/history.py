"""Everything is stored; a slice of it is shown: the newest whole turns within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from state.answer import Answer
from state.passages import HistoryTurn

if TYPE_CHECKING:
    from state.turn_store import TurnStore
    from state.turns import TurnCost

CountTokens = Callable[[str], int]


def _cost(turn: TurnCost) -> int:
    """In tokens; a text has at most as many as bytes."""
    return turn.size if turn.tokens is None else turn.tokens


def history_slice(
    newest_first: Iterable[TurnCost],
    milestones: Iterable[TurnCost],
    budget: int,
    count: Callable[[int], int],
) -> list[TurnCost]:
    """The turns a model may see, oldest first; a turn costs its question and its answer.

    The newest turn always comes along; a follow-up means nothing without it. Then come the
    `milestones` (newest first too) that fit, then turns from the newest on, up to the first
    that does not fit.
    """
    walk = iter(newest_first)
    newest = next(walk, None)
    if newest is None:
        return []
    taken = {newest.number: newest}

    def fits(turn: TurnCost) -> bool:
        """Whether it does; then it is taken. What was not counted when it was stored is counted
        once the bytes do not fit: the counter's tables take a quarter of a second to load.
        """
        for _ in range(2):
            if turn.number in taken or sum(map(_cost, (*taken.values(), turn))) <= budget:
                taken.setdefault(turn.number, turn)
                return True
            taken.update({number: counted(each) for number, each in taken.items()})
            turn = counted(turn)
        return False

    def counted(turn: TurnCost) -> TurnCost:
        return turn if turn.tokens is not None else turn._replace(tokens=count(turn.number))

    for turn in milestones:
        fits(turn)
    for turn in walk:
        if not fits(turn):
            break
    return sorted(taken.values())


def counted_slice(store: TurnStore, thread: str, budget: int, count: CountTokens) -> list[TurnCost]:
    """Which turns of a thread are its slice. What had to be counted for it is kept with them."""

    def counted(number: int) -> int:
        answer = store.turn(thread, number).answer
        tokens = count(answer["question"]) + count(answer["answer"])
        store.note_tokens(thread, number, tokens)
        return tokens

    costs, pinned = store.costs(thread), store.costs(thread, milestones=True)
    return history_slice(costs, pinned, budget, counted)


def read_history(
    store: TurnStore,
    thread: str,
    budget: int,
    count: CountTokens,
    known: Sequence[HistoryTurn] = (),
) -> list[HistoryTurn]:
    """The slice of one thread: of the turns that a checkpoint has, `known`, as they are there, the
    others read from the store; errors as the store's.
    """
    held = {turn["turn"]: turn for turn in known}
    found: list[HistoryTurn] = []
    for turn in counted_slice(store, thread, budget, count):
        if turn.number in held:
            found.append({**held[turn.number], "milestone": turn.milestone})
        else:
            answer = store.turn(thread, turn.number).answer
            found.append(shown_turn(answer, turn.number, milestone=turn.milestone))
    return found


def shown_turn(answer: Answer, number: int, *, milestone: bool) -> HistoryTurn:
    """A finished turn as later ones see it."""
    return {
        "question": answer["question"],
        "standalone_question": answer["standalone_question"],
        "answer": "" if answer["status"] == "abstained" else answer["answer"],
        "turn": number,
        "milestone": milestone,
    }
