"""Words that deny each other: a text with one and a text with the other disagree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from rag.index.terms import stem

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_PREFIXES = ("un", "in", "im", "non", "dis", "ir", "il", "non-")
_LEAST = 5
"""Letters of a word that is not another one with a prefix ("in" and "come")."""

Side = tuple[int, int]
"""Line of the list, and place in it."""


@cache
def _sides() -> tuple[Sequence[Sequence[frozenset[str]]], Mapping[str, Sequence[Side]]]:
    """The stems of each side of each line; where each stem stands."""
    text = Path(__file__).with_name("opposites.txt").read_text(encoding="utf-8")
    lines = [
        [frozenset(map(stem, side.split())) for side in line.split("|")]
        for line in text.splitlines()
        if line and not line.startswith("#")
    ]
    places = defaultdict[str, list[Side]](list)
    for number, sides in enumerate(lines):
        for place, side in enumerate(sides):
            for word in side:
                places[word].append((number, place))
    return lines, dict(places)


def words(text: str) -> list[str]:
    """As `opposed` compares them: in lower case, "non-violent" and "can't" one word each."""
    return [word.lower() for word in _WORD.findall(text)]


def opposed(claimed: Iterable[str], said: Iterable[str]) -> bool:
    """Whether a claimed word is not said, nor a like one, but an opposite is. Words in lower
    case.
    """
    own, there = set(map(stem, claimed)), set(map(stem, said))
    lines, places = _sides()
    for word in own - there:
        for number, place in places.get(word, ()):
            sides = lines[number]
            if not sides[place] & there and any(
                side & there and not side & own
                for other, side in enumerate(sides)
                if other != place
            ):
                return True
        if _denied(word, there):
            return True
    return False


def _denied(word: str, said: set[str]) -> bool:
    """Whether it is said with a prefix that turns it round, or without its own."""
    if len(word) >= _LEAST and any(prefix + word in said for prefix in _PREFIXES):
        return True
    return any(
        word.startswith(prefix)
        and len(word) >= len(prefix) + _LEAST
        and word[len(prefix) :] in said
        for prefix in _PREFIXES
    )
