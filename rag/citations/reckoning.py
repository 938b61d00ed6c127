"""Tells whether a number can be reckoned from others: the rest, the total, a fifth of the price."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

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
    return _adds_up(value, few) or any(
        abs(value - each) < _ROUNDED for each in _parts(few, others, shares)
    )


def _adds_up(value: float, alike: Sequence[float]) -> bool:
    pairs = ((one, other) for one in alike for other in (0, *alike) if other != one)
    return abs(value - sum(alike)) < _ROUNDED or any(
        _is_some_times(value - other, one) for one, other in pairs
    )


def _is_some_times(difference: float, one: float) -> bool:
    """Whether it is a number or, unless that is so small that much is, its multiple."""
    times = round(abs(difference) / one)
    most = _TIMES if one >= _TIMES else 1
    return 1 <= times <= most and abs(abs(difference) - times * one) < _ROUNDED


def _parts(
    alike: Sequence[float], given: Sequence[float], percents: Sequence[float]
) -> Iterator[float]:
    for one in alike:
        for percent in percents:
            share = one * percent / 100
            yield from (share, one - share, one + share)
        yield from (each for other in given if other != one for each in (one * other, one / other))
