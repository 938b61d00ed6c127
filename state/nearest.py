"""What a person may have meant by a name that nothing has."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, names: Iterable[str], otherwise: str) -> str:
    """A hint at the nearest of `names`, or `otherwise` where none is near."""
    near = get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"Did you mean {near[0]!r}?" if near else otherwise
