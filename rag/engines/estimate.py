"""What a question can cost at most, worked out before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from rag.endpoint.address import chat_endpoint
from rag.engines.factory import choose_engine
from rag.engines.openai.prices import cost_of, price_of
from rag.engines.openai.prompts import (
    CONTEXTUALIZE,
    GENERATE,
    GRADE,
    LONGEST_KNOWN,
    MOST_KNOWN,
    REWRITE,
    VERIFY,
)
from rag.text.chunk import CHUNK_CHARS
from state.settings import EngineName, GraderChoice, Settings, Verifier
from state.tokens import count_tokens

MOST_OUTPUT = 4_096
DRAFTS = 2
ITEM_TOKENS = 80
"""A chunk's fence, title and place in the schema of the reply."""
CALL_TOKENS = 200
"""What a call costs besides its texts: roles, tool, labels."""
MARGIN = 1.5
"""Other chunks may hold denser text than those of the sample."""


class Estimate(TypedDict):
    """Upper bounds for a question whose replies can be read. An unreadable reply is asked for
    again, `repair_calls` times at most. `cost_usd` is None for a model without a price.
    """

    schema: str
    engine: str
    model: str | None
    calls: int
    repair_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    text: str


def estimate(
    settings: Settings, question: str, sample: Sequence[str] = (), *, follow_up: bool = False
) -> Estimate:
    """`sample` are chunks of the collection, such as the question retrieves: their tokens a
    character, with a margin, stand for those of all; without any, a token a character does.

    Raises:
        SettingsError: the openai engine lacks a usable URL or key.

    """
    if choose_engine(settings).name is EngineName.LOCAL:
        return _nothing()
    loops = settings.max_loops + 1
    item = ITEM_TOKENS + int(CHUNK_CHARS * _density(sample))
    asked = count_tokens(question) + CALL_TOKENS
    known = MOST_KNOWN * (ITEM_TOKENS + LONGEST_KNOWN)

    inputs: list[int] = []
    if follow_up:
        inputs.append(asked + count_tokens(CONTEXTUALIZE.system) + settings.history_tokens)
    context = asked + count_tokens(GENERATE.system) + settings.k * loops * item
    inputs += [context] * DRAFTS
    if settings.verify is Verifier.MODEL:
        checked = asked + count_tokens(VERIFY.system) + MOST_OUTPUT + settings.k * loops * item
        inputs += [checked] * DRAFTS
    graded = asked + count_tokens(GRADE.system) + settings.k * item + known
    rewritten = asked + count_tokens(REWRITE.system) + loops * asked
    grading = 0
    if settings.grader is GraderChoice.LOCAL:
        inputs += [rewritten] * settings.max_loops
    else:
        grading = max(graded, rewritten) * loops
    calls = len(inputs) + (loops if grading else 0)

    cheap = price_of(settings.grade_model or settings.model, settings)
    costs = (
        cost_of(price_of(settings.model, settings), sum(inputs), len(inputs) * MOST_OUTPUT),
        cost_of(cheap, grading, loops * MOST_OUTPUT) if grading else 0.0,
    )
    cost = None if None in costs else sum(c for c in costs if c is not None)
    tokens = sum(inputs) + grading, calls * MOST_OUTPUT
    if settings.max_cost is not None and cost is not None:
        cost = min(cost, settings.max_cost)
    repairs = loops * (1 + settings.k) if grading else 0
    return {
        "schema": "crag.estimate/1",
        "engine": "openai",
        "model": settings.model,
        "calls": calls,
        "repair_calls": repairs,
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "cost_usd": None if cost is None else round(cost, 6),
        "text": _words(settings, calls, tokens, cost),
    }


def _density(sample: Sequence[str]) -> float:
    """Tokens a character, at most."""
    dense = [count_tokens(text) / len(text) for text in sample if text]
    return min(MARGIN * max(dense), 1.0) if dense else 1.0


def _words(settings: Settings, calls: int, tokens: tuple[int, int], cost: float | None) -> str:
    price = f"no price is known for {settings.model}" if cost is None else f"${cost:.4f}"
    host = chat_endpoint(settings).host
    limits = [
        f"--max-tokens stops it at {settings.max_tokens:,}" if settings.max_tokens else "",
        f"--max-cost stops it at ${settings.max_cost:g}" if settings.max_cost else "",
        f"--timeout stops it after {settings.timeout:g} s" if settings.timeout else "",
    ]
    stops = "; ".join(limit for limit in limits if limit)
    return (
        f"At most {calls} calls to {settings.model} at {host}, {tokens[0]:,} input and "
        f"{tokens[1]:,} output tokens: {price}{'; ' if stops else ''}{stops}."
    )


def _nothing() -> Estimate:
    return {
        "schema": "crag.estimate/1",
        "engine": "local",
        "model": None,
        "calls": 0,
        "repair_calls": 0,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_usd": 0.0,
        "text": "Nothing: the local engine sends nothing and calls no model.",
    }
