"""Tells whether a number can be reckoned from others: the rest, the total, a fifth of the price."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain

_MOST = 30
"""How many of the numbers are looked at: each one that counts the same is paired with each."""
_TIMES = 12
_ROUNDED = 0.005


def is_reckoned(
    value: float, alike: Collection[float], given: Collection[float], percents: Collection[float]
) -> bool:
    """Whether `value` is a sum or a difference of numbers that count the same (`alike`), one of
    them also several times (1,220 + 3 x 45); a percentage of one; its product or ratio with any
    other number given.
    """
    few, others, shares = (sorted({*each} - {0})[:_MOST] for each in (alike, given, percents))
    found = chain([sum(few)], _sums(few), _parts(few, others, shares))
    return any(abs(value - each) < _ROUNDED for each in found)


def _sums(alike: Sequence[float]) -> Iterator[float]:
    for one in alike:
        most = _TIMES if one >= _TIMES else 1  # the multiples of a small number are all numbers
        for other in (0, *alike):
            if other != one:
                yield from (other + times * one for times in range(-most, most + 1) if times)


def _parts(
    alike: Sequence[float], given: Sequence[float], percents: Sequence[float]
) -> Iterator[float]:
    for one in alike:
        for percent in percents:
            share = one * percent / 100
            yield from (share, one - share, one + share)
        yield from (each for other in given if other != one for each in (one * other, one / other))
