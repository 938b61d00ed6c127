"""Words that deny each other: a text with one and a text with the other disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

_PREFIXES = ("un", "in", "im", "non", "dis", "ir", "il", "non-")


@cache
def opposites() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    file = Path(__file__).with_name("opposites.txt")
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            one, other = line.split()
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def opposed(claimed: Iterable[str], said: set[str]) -> bool:
    """Whether a claimed word is not said, but its opposite is. Words in lower case."""
    known = opposites()
    own = set(claimed)
    for word in own - said:
        if (known.get(word, frozenset()) & said) - own:
            return True
        if any(prefix + word in said for prefix in _PREFIXES):
            return True
        if len(word) > 5 and any(
            word.startswith(prefix) and word[len(prefix) :] in said for prefix in _PREFIXES
        ):
            return True
    return False
