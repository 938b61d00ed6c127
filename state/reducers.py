"""How values meet in the graph's channels: overwrite, and the milestone window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from state.passages import HistoryTurn

T = TypeVar("T")


def overwrite(_old: T, new: T) -> T:
    """The new value replaces the old one: the reducer of the ephemeral scratchpad."""
    return new


def milestone_window(
    size: int,
) -> Callable[[Sequence[HistoryTurn], Sequence[HistoryTurn]], list[HistoryTurn]]:
    """A reducer that keeps the last `size` turns plus every milestone, in order.

    Pure and O(turns); it never calls a model and never mutates its arguments.

    Raises:
        ValueError: if `size` is negative.
    """
    if size < 0:
        raise ValueError("size must not be negative")

    def reduce(old: Sequence[HistoryTurn], new: Sequence[HistoryTurn]) -> list[HistoryTurn]:
        turns = [*(old or ()), *(new or ())]
        first_recent = len(turns) - size
        return [
            turn
            for index, turn in enumerate(turns)
            if index >= first_recent or turn.get("milestone", False)
        ]

    return reduce
