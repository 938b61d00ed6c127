"""Everything is stored; a slice of it is shown: the newest whole turns within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from state.answer import Answer
from state.passages import HistoryTurn
from state.turns import TurnCost

if TYPE_CHECKING:
    from state.turn_store import TurnStore

CountTokens = Callable[[str], int]


class _Budget:
    """Adds up what fits. A text has at most as many tokens as bytes: what was not counted when it
    was stored is counted once the bytes do not fit. The counter's tables take a quarter of a
    second to load, which a short history need not wait for.
    """

    def __init__(self, tokens: int, count: Callable[[int], int], newest: TurnCost) -> None:
        """The `newest` turn is taken, whatever is left; `count` gives the tokens of a turn."""
        self._tokens = tokens
        self._count = count
        self._taken = {newest.number: newest}
        self._spent = _cost(newest)

    def fits(self, turn: TurnCost) -> bool:
        """Whether the turn fits; if it does, it is taken."""
        if turn.number in self._taken:
            return True
        if self._spent + _cost(turn) > self._tokens:
            self._taken = {number: self._counted(each) for number, each in self._taken.items()}
            self._spent = sum(map(_cost, self._taken.values()))
            turn = self._counted(turn)
            if self._spent + _cost(turn) > self._tokens:
                return False
        self._taken[turn.number] = turn
        self._spent += _cost(turn)
        return True

    def _counted(self, turn: TurnCost) -> TurnCost:
        return turn if turn.tokens is not None else turn._replace(tokens=self._count(turn.number))

    @property
    def taken(self) -> list[TurnCost]:
        """Oldest first."""
        return sorted(self._taken.values())


def _cost(turn: TurnCost) -> int:
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
    allowance = _Budget(budget, count, newest)
    for turn in milestones:
        allowance.fits(turn)
    for turn in walk:
        if not allowance.fits(turn):
            break
    return allowance.taken


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
