"""Tells whether a claim gives one thing the number that its quotes give another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

from rag.citations.clauses import clauses_of, sentences_of
from rag.citations.figures import figures
from rag.index.terms import terms

_MOST = 30
"""How many sentences or clauses with a number are compared, of a claim and of its quotes."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A sentence or a clause: its numbers, and its words with these."""

    numbers: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> _Stretch:
        numbers = frozenset(figure.value for figure in figures(text))
        return cls(numbers, numbers.union(terms(text)))

    def __sub__(self, other: _Stretch) -> _Stretch:
        return _Stretch(self.numbers - other.numbers, self.words - other.words)


def find_swap(claim: str, quotes: Sequence[str]) -> str | None:
    """A number that the claim has in one sentence or clause and its quotes in another, where the
    claim has a number of that other in its place: "50 euros by March, the rest by May" of "50 euros
    by May, the rest by March". None where there is none.
    """
    for split in (clauses_of, sentences_of):
        said = _apart(combinations(_numbered(split(claim)), 2))
        told = [stretch for quote in quotes for stretch in split(quote)]
        pairs = _apart(permutations(_numbered(told), 2))
        for (one, other), (first, second) in product(said, pairs):
            crossed = one.numbers & second.numbers
            speak_alike = one.words & first.words and other.words & second.words
            if crossed and other.numbers & first.numbers and speak_alike:
                return min(crossed)
    return None


def _numbered(stretches: Sequence[str]) -> list[_Stretch]:
    return [each for each in map(_Stretch.of, stretches) if each.numbers][:_MOST]


def _apart(pairs: Iterable[tuple[_Stretch, _Stretch]]) -> list[tuple[_Stretch, _Stretch]]:
    """Each pair without what both have."""
    return [(one - other, other - one) for one, other in pairs]
