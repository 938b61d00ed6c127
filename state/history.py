"""Everything is stored; a slice of it is shown: the newest whole turns within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from state.answer import Answer
from state.passages import HistoryTurn
from state.turn_store import TurnStore
from state.turns import Turn

CountTokens = Callable[[str], int]


class _Budget:
    """Adds up what fits. A text has at most as many tokens as bytes: tokens are counted once the
    bytes do not fit. The counter's tables take a quarter of a second to load, which a short
    history need not wait for.
    """

    def __init__(self, tokens: int, count: CountTokens, newest: Turn) -> None:
        """The `newest` turn is taken, whatever is left."""
        self._tokens = tokens
        self._count: CountTokens = _bytes
        self._exact = count
        self._taken = [newest]
        self._spent = self._cost(newest)

    def fits(self, turn: Turn) -> bool:
        """Whether the turn fits; if it does, it is taken."""
        if self._spent + self._cost(turn) > self._tokens and self._count is _bytes:
            self._count = self._exact
            self._spent = sum(map(self._cost, self._taken))
        cost = self._cost(turn)
        if self._spent + cost > self._tokens:
            return False
        self._taken.append(turn)
        self._spent += cost
        return True

    def _cost(self, turn: Turn) -> int:
        return self._count(turn.answer["question"]) + self._count(turn.answer["answer"])


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def history_slice(
    newest_first: Iterable[Turn], milestones: Iterable[Turn], budget: int, count: CountTokens
) -> list[HistoryTurn]:
    """The turns a model may see, oldest first; a turn costs its question and its answer.

    The newest turn always comes along; a follow-up means nothing without it. Then come the
    `milestones` (newest first too) that fit, then turns from the newest on, up to the first
    that does not fit. Both are read no further than needed.
    """
    walk = iter(newest_first)
    newest = next(walk, None)
    if newest is None:
        return []
    allowance = _Budget(budget, count, newest)
    shown = {newest.number: newest}
    for turn in milestones:
        if turn.number not in shown and allowance.fits(turn):
            shown[turn.number] = turn
    for turn in walk:
        if turn.number not in shown:
            if not allowance.fits(turn):
                break
            shown[turn.number] = turn
    return [
        shown_turn(turn.answer, number, milestone=turn.milestone)
        for number, turn in sorted(shown.items())
    ]


def read_history(
    store: TurnStore, thread: str, budget: int, count: CountTokens
) -> list[HistoryTurn]:
    """The slice of one thread, read lazily; errors as the store's."""
    return history_slice(
        store.turns(thread, newest_first=True),
        store.turns(thread, newest_first=True, milestones=True),
        budget,
        count,
    )


def shown_turn(answer: Answer, number: int, *, milestone: bool) -> HistoryTurn:
    """A finished turn as later ones see it."""
    return {
        "question": answer["question"],
        "standalone_question": answer["standalone_question"],
        "answer": "" if answer["status"] == "abstained" else answer["answer"],
        "turn": number,
        "milestone": milestone,
    }
