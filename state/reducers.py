"""How values meet in the graph's channels: overwrite, and the milestone window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NotRequired, TypedDict, TypeVar

T = TypeVar("T")


class TimelineEntry(TypedDict):
    """One line of the persistent timeline; `milestone` entries outlive the window."""

    role: str
    text: str
    turn: int
    milestone: NotRequired[bool]


def overwrite(_old: T, new: T) -> T:
    """The new value replaces the old one: the reducer of the ephemeral scratchpad."""
    return new


def milestone_window(
    size: int,
) -> Callable[[Sequence[TimelineEntry], Sequence[TimelineEntry]], list[TimelineEntry]]:
    """A reducer that keeps the last `size` entries plus every milestone, in order.

    Pure and O(entries); it never calls a model and never mutates its arguments.

    Raises:
        ValueError: if `size` is negative.

    """
    if size < 0:
        raise ValueError("size must not be negative")

    def reduce(old: Sequence[TimelineEntry], new: Sequence[TimelineEntry]) -> list[TimelineEntry]:
        entries = [*(old or ()), *(new or ())]
        first_recent = len(entries) - size
        return [
            entry
            for index, entry in enumerate(entries)
            if index >= first_recent or entry.get("milestone", False)
        ]

    return reduce
