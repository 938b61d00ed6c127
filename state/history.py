"""Everything is stored; a slice of it is shown: the newest whole turns within a token budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from state.answer import Answer
from state.passages import HistoryTurn
from state.turn_store import TurnStore
from state.turns import Turn

CountTokens = Callable[[str], int]

LONGEST_TOKEN = 128
"""Bytes: no token of o200k_base is longer, so a text has at least length / 128 tokens."""


class _Budget:
    """Adds up what fits, and counts tokens only where bounds on them cannot decide.

    A text has at most as many tokens as bytes. The counter's tables take a quarter of a
    second to load, which a short history need not wait for.
    """

    def __init__(self, tokens: int, count: CountTokens) -> None:
        self._tokens = tokens
        self._count = count
        self._spent = 0
        self._uncounted: list[Turn] = []

    def take(self, turn: Turn) -> None:
        """Spend the turn's tokens, whatever is left."""
        self._uncounted.append(turn)
        self._spent += _bytes(turn)

    def fits(self, turn: Turn) -> bool:
        """Whether the turn fits; if it does, it is taken."""
        size = _bytes(turn)
        if self._spent + size <= self._tokens:
            self.take(turn)
            return True
        self._spent += sum(self._exact(each) - _bytes(each) for each in self._uncounted)
        self._uncounted.clear()
        room = self._tokens - self._spent
        if -(-size // LONGEST_TOKEN) > room or (tokens := self._exact(turn)) > room:
            return False
        self._spent += tokens
        return True

    def _exact(self, turn: Turn) -> int:
        return self._count(turn.answer["question"]) + self._count(turn.answer["answer"])


def _bytes(turn: Turn) -> int:
    texts = (turn.answer["question"], turn.answer["answer"])
    return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)


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
    allowance = _Budget(budget, count)
    allowance.take(newest)
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
