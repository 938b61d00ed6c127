"""Counts as they are read: `1 document`, `2,000 documents`."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """The noun alone, as it stands after the count."""
    return noun if count == 1 else f"{noun}s"


def many(count: int, noun: str) -> str:
    return f"{count:,} {plural(count, noun)}"
