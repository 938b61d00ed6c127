"""Copies of a text (a page kept for every version of it) count once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SAME = 0.9
"""The share of two texts' distinct terms, of both together, from which they are one."""


def is_repeat(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts hold nearly the same terms (Jaccard's coefficient), and the same figures:
    a text that gives another figure says something else.
    """
    if min(len(one), len(other)) <= SAME * max(len(one), len(other)):
        return False
    if len(one & other) <= SAME * len(one | other):
        return False
    return not any(character.isdigit() for term in one ^ other for character in term)


def first_of_each(
    ranked: Sequence[int], held: Mapping[int, frozenset[str]]
) -> dict[int, list[int]]:
    """Each text that repeats none before it, in the order given, with those that repeat it."""
    kept: dict[int, list[int]] = {}
    for each in ranked:
        first = next((other for other in kept if is_repeat(held[other], held[each])), None)
        if first is None:
            kept[each] = []
        else:
            kept[first].append(each)
    return kept
