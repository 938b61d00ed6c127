"""How many of something, in words."""

from __future__ import annotations


def many(count: int, noun: str) -> str:
    """As in "1 turn" or "1,200 turns"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
