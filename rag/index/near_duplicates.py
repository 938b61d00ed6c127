"""Near-duplicates of a text (a page kept for every version of it) count once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

_DIGIT = re.compile(r"\d")
SAME = 0.9
"""The share of two texts' distinct terms, of both together, from which they are one."""


@dataclass(frozen=True, slots=True)
class TextSignature:
    """What a text is compared by: its distinct terms, and its numbers in their order."""

    terms: frozenset[str]
    figures: tuple[str, ...]

    @classmethod
    def of(cls, terms: Sequence[str]) -> TextSignature:
        """`terms` in the order of the text."""
        held = frozenset(terms)
        figures = {term for term in held if not term.isalpha() and _DIGIT.search(term)}
        return cls(held, tuple(filter(figures.__contains__, terms)) if figures else ())

    def repeats(self, other: TextSignature, asked: AbstractSet[str]) -> bool:
        """Whether both hold nearly the same terms (Jaccard's coefficient), the same of those that
        are `asked`, and the same figures: a text that gives another figure, or the same of other
        things, says something else.
        """
        few, many = len(self.terms), len(other.terms)
        if min(few, many) <= SAME * max(few, many) or self.figures != other.figures:
            return False
        both = len(self.terms & other.terms)
        return both > SAME * (few + many - both) and not (self.terms ^ other.terms) & asked


def deduplicate(
    ranked: Sequence[int], texts: Mapping[int, TextSignature], asked: AbstractSet[str]
) -> dict[int, list[int]]:
    """Each text that repeats none before it, in the order given, mapped to those that repeat it.
    `asked` are the terms of the query.
    """
    kept: dict[int, list[int]] = {}
    alike: defaultdict[tuple[str, ...], list[tuple[int, TextSignature]]] = defaultdict(list)
    for each in ranked:
        own = texts[each]
        same = alike[own.figures]
        first = next((row for row, other in same if own.repeats(other, asked)), None)
        if first is None:
            kept[each] = []
            same.append((each, own))
        else:
            kept[first].append(each)
    return kept
