"""How an evaluation tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Receives what is going on ("index", "measure", "measure without loops"), how many are done,
and of how many, None where that is not known."""


def silent(_what: str, _done: int, _total: int | None) -> None:
    """A Progress for callers that show none."""
