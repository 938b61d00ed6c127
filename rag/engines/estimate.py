"""What a question can cost at most, worked out before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from rag.endpoint.address import chat_endpoint
from rag.engines.factory import choose_engine
from rag.engines.openai import output_limits
from rag.engines.openai.batch_judge import MOST_TOGETHER
from rag.engines.openai.cross_language import is_foreign
from rag.engines.openai.dialect import Dialect
from rag.engines.openai.grading import MOST_ASKED, MOST_DOUBTFUL
from rag.engines.openai.output_limits import THINKING
from rag.engines.openai.prices import cost_of, dated, price_of
from rag.engines.openai.prompts import LONGEST_DOUBTFUL, LONGEST_KNOWN, MOST_KNOWN
from rag.evidence.refine import SHOWN_TO_A_MODEL
from rag.text.chunk import CHUNK_CHARS
from state.choices import EngineName, GraderChoice, Verifier
from state.settings import Settings
from state.tokens import count_tokens

DRAFTS = 2
ITEM_TOKENS = 80
"""A chunk's fence, title and place in the shape of the reply."""
CALL_TOKENS = 350
"""What a call costs besides its texts: its words, roles, labels."""
CLAIM_TOKENS = 20
"""Of the shortest claims that a whole answer could be made of."""
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


@dataclass(frozen=True, slots=True)
class _Call:
    """Tokens at most; `cheap` where the grading model is asked."""

    inputs: int
    outputs: int
    cheap: bool = False


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
    density = _density(sample)
    asked = count_tokens(question) + CALL_TOKENS
    shown = int(SHOWN_TO_A_MODEL * CHUNK_CHARS * density) + ITEM_TOKENS * SHOWN_TO_A_MODEL
    grading = _grading(settings, asked, density, foreign=is_foreign(question, sample))
    loops = settings.max_loops
    said = output_limits.ANSWER
    read = shown + settings.history_tokens * follow_up
    calls = [
        *[_Call(asked + settings.history_tokens, output_limits.LINE)] * follow_up,
        *grading,
        *[_Call(asked + loops * asked, output_limits.LINE)] * loops,
        _Call(asked + read, said),
        _Call(asked + read + said, said),
    ]
    if settings.verify is Verifier.MODEL:
        claims = said // CLAIM_TOKENS
        calls += [_Call(asked + shown + said, output_limits.verdicts(claims), cheap=True)] * DRAFTS
    thinking = THINKING if Dialect(settings.model, chat_endpoint(settings), settings).thinks else 0
    calls = [replace(call, outputs=call.outputs + thinking) for call in calls]

    cheap = price_of(settings.grade_model or settings.model, settings)
    usual = price_of(settings.model, settings)
    costs = [cost_of(cheap if c.cheap else usual, c.inputs, c.outputs) for c in calls]
    cost = None if None in costs else sum(c for c in costs if c is not None)
    tokens = sum(call.inputs for call in calls), sum(call.outputs for call in calls)
    if settings.max_cost is not None and cost is not None:
        cost = min(cost, settings.max_cost)
    return {
        "schema": "crag.estimate/1",
        "engine": "openai",
        "model": settings.model,
        "calls": len(calls),
        "repair_calls": sum(call.cheap for call in calls),
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "cost_usd": None if cost is None else round(cost, 6),
        "text": _words(settings, len(calls), tokens, cost),
    }


def _grading(settings: Settings, asked: int, density: float, *, foreign: bool) -> list[_Call]:
    """As many chunks as a loop can bring, where the model grades all; the few in doubt else."""
    if settings.grader is GraderChoice.LOCAL:
        return []
    known = MOST_KNOWN * (ITEM_TOKENS + int(LONGEST_KNOWN * density))
    if settings.grader is GraderChoice.AUTO and not foreign:
        most, size = min(MOST_DOUBTFUL, settings.k), int(LONGEST_DOUBTFUL * density)
        times = min(MOST_ASKED, settings.max_loops + 1)
    else:
        most, size = settings.k, int(CHUNK_CHARS * density)
        times = settings.max_loops + 1
    sizes = [min(MOST_TOGETHER, most - start) for start in range(0, most, MOST_TOGETHER)]
    return [
        _Call(asked + known + n * (size + ITEM_TOKENS), output_limits.verdicts(n), cheap=True)
        for _ in range(times)
        for n in sizes
    ]


def _density(sample: Sequence[str]) -> float:
    """Tokens a character, at most."""
    dense = [count_tokens(text) / len(text) for text in sample if text]
    return min(MARGIN * max(dense), 1.0) if dense else 1.0


def _words(settings: Settings, calls: int, tokens: tuple[int, int], cost: float | None) -> str:
    price = f"no price is known for {settings.model}"
    if cost is not None:
        price = f"${cost:.4f}{dated(settings.model, settings)}"
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
