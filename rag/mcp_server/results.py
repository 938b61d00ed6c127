"""What the tools give an agent: the values of their structured output, and as much of them as fits
the tokens that it has room for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, model_validator

from state.errors import UsageError
from state.tokens import encoding

LEAST, USUAL, MOST = 200, 4_000, 100_000
_FRAME = 100
"""Tokens of what surrounds the items: the result's own keys and small values."""
_BETWEEN = 2
_LINK = '{{"type":"resource_link","uri":"{uri}","name":"{uri}","mimeType":"text/plain"}}'
"""A link's name is no longer than its address."""


class Result(BaseModel):
    """What is None is left out. A name on a disk may hold half a character, which no JSON takes."""

    def as_json(self) -> str:
        return self.model_dump_json(exclude_none=True)

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: _mended(value) for name, value in values.items()}


class Place(Result):
    """A located quote. `uri` is a resource of this server: the lines around it."""

    marker: int
    source: str
    page: int | None = None
    start_line: int | None = None
    end_line: int | None = None
    start_char: int
    end_char: int
    quote: str
    support: str
    uri: str


class Doubt(Result):
    """A sentence that the cited place does not prove (unverified), or denies (contradicted)."""

    text: str
    verdict: str
    reason: str


class AskResult(Result):
    """`citations` by marker; of an answer that abstained `nearest` lies nearest to the question.
    `left_out`: citations that did not fit; `cut`: the answer did not.
    """

    status: str
    question: str
    answer: str
    cut: bool
    citations: list[Place]
    nearest: list[Place]
    claims: list[Doubt]
    clarify: list[str]
    warnings: list[str]
    left_out: int
    trace_id: str


class Passage(Result):
    rank: int
    source: str
    title: str | None = None
    page: int | None = None
    start_line: int
    end_line: int
    score: float
    text: str
    uri: str


class SearchResult(Result):
    """Best first. `left_out`: passages that did not fit."""

    results: list[Passage]
    left_out: int


class SourceList(Result):
    """`next`: where to go on; missing at the end."""

    sources: list[str]
    next: str | None = None


class SourceText(Result):
    """A stretch of one source's text; `next` is where to go on, missing at its end."""

    source: str
    start: int
    text: str
    characters: int
    next: int | None = None


class CollectionState(Result):
    collection: str
    documents: int
    chunks: int
    embedder: str
    folders: list[str]
    changed: int
    gone: int


class Turn(Result):
    """`withheld` says why the rest is missing."""

    turn: int
    question: str | None = None
    answer: str | None = None
    status: str | None = None
    withheld: str | None = None


class ThreadTurns(Result):
    """Newest first. `left_out`: turns that did not fit."""

    turns: list[Turn]
    left_out: int


class IngestResult(Result):
    added: int
    updated: int
    unchanged: int
    removed: int
    documents: int
    chunks: int


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return [_mended(each) for each in value] if isinstance(value, list) else value


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
