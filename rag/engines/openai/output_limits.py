"""Tokens of output that a reply may have at most, by what it is for."""

from __future__ import annotations

LINE = 120
"""A question or a query."""
ANSWER = 1_000
ITEM = 60
"""A verdict with its reason."""
EXTRAS = 100
"""What a grading reply holds besides verdicts."""
REPORT = 3_000
"""What a research run's planner or subagent writes."""
THINKING = 3_000
"""More, for a model that thinks before it replies."""


def verdicts(items: int) -> int:
    return ITEM * items + EXTRAS
