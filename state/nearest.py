"""What a person may have meant by a name that nothing has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from state.counting import many

_FEW = 5


def did_you_mean(name: str, names: Iterable[str], otherwise: str) -> str:
    """A hint at the nearest of `names` and the number of others, or at the first few of them."""
    near = get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"Did you mean {near[0]!r}?" if near else otherwise


def nearest_and_count(name: str, names: Sequence[str]) -> str:
    """A hint at the nearest of `names` and how many others there are; at the first few where
    none is near.
    """
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    others = len(names) - (1 if near else _FEW)
    if near:
        are = "is" if others == 1 else "are"
        rest = f" There {are} {many(others, 'other')}." if others else ""
        return f"Did you mean {near[0]!r}?{rest}"
    rest = f" and {many(others, 'other')}" if others > 0 else ""
    return f"There is: {', '.join(names[:_FEW])}{rest}."
