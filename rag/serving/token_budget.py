"""How much of a result an agent is given: what fits the tokens that it has room for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeVar

from rag.serving.results import Result
from state.errors import UsageError
from state.tokens import encoding

LEAST, USUAL, MOST = 200, 4_000, 100_000
_FRAME = 100
"""Tokens of what surrounds the items: the result's own keys and small values."""
_BETWEEN = 2
_LINK = '{{"type":"resource_link","uri":"{uri}","name":"{uri}","mimeType":"text/plain"}}'
"""A link's name is no longer than its address."""
R = TypeVar("R", bound=Result)


class TokenBudget:
    """Counted as o200k_base counts; other tokenizers differ by a tenth or so."""

    def __init__(self, tokens: int) -> None:
        """Raises UsageError where nothing useful would fit, or too much is asked for."""
        if not LEAST <= tokens <= MOST:
            raise UsageError(f"token_budget must be from {LEAST} to {MOST:,}.")
        self.left = tokens - _FRAME

    def take(self, text: str) -> bool:
        """Whether the JSON text fits; if it does, it is spent."""
        cost = tokens_of(text) + _BETWEEN
        if cost > self.left:
            return False
        self.left -= cost
        return True

    def text(self, text: str, share: float = 1.0) -> str:
        """As much of the text as fits into a share of what is left; JSON's escapes are counted."""
        room = int(self.left * share)
        shown, cost = text, _quoted(text)
        while cost > room:
            shown = shown[: min(len(shown) - 1, len(shown) * room // cost)].rstrip()
            cost = _quoted(shown)
        self.left -= cost
        return shown


def tokens_of(text: str) -> int:
    return len(encoding().encode_ordinary(text))


def _quoted(text: str) -> int:
    return tokens_of(json.dumps(text, ensure_ascii=False)) if text else 0


def fitting(items: Iterable[R], budget: TokenBudget) -> list[R]:
    """The first items, as many as fit, each with the link that goes along with it."""
    found = []
    for item in items:
        uri = getattr(item, "uri", None)
        if not budget.take(item.as_json() + (_LINK.format(uri=uri) if uri else "")):
            break
        found.append(item)
    return found
