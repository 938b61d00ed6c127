"""Tells whether a number can be reckoned from others: the rest, the total, a fifth of the price."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

_MOST = 30
"""How many of the numbers are looked at: each one that counts the same is paired with each."""
_TIMES = range(2, 13)
_ROUNDED = 0.005


def is_reckoned(
    value: float, alike: Collection[float], given: Collection[float], percents: Collection[float]
) -> bool:
    """Whether `value` is a sum or a difference of numbers that count the same (`alike`), one of
    them also several times (1,220 + 3 x 45); a percentage of one; its product or ratio with any
    other number given.
    """
    few = (sorted({*each})[:_MOST] for each in (alike, given, percents))
    return any(abs(value - each) < _ROUNDED for each in _reckoned(*few))


def _reckoned(
    alike: Sequence[float], given: Sequence[float], percents: Sequence[float]
) -> Iterator[float]:
    yield sum(alike)
    for one in alike:
        for percent in percents:
            share = one * percent / 100
            yield from (share, one - share, one + share)
        for other in given:
            if other not in (0, one):
                yield from (one * other, one / other)
        # A small number is too easily another one's multiple.
        multiples = [one * times for times in _TIMES] if one >= _TIMES[-1] else []
        yield from multiples
        for other in alike:
            if other != one:
                yield from (other + one, *(other + each for each in multiples))
                yield from (other - one, *(other - each for each in multiples))
