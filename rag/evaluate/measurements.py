"""What is measured of one query, and of all; plain JSON, because the journal keeps it.

Sources are the dataset's own: a document's id, or its path below files/.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypedDict

from state.answer import Status

Progress = Callable[[str, int, int | None], None]
"""Receives what is going on ("index", "measure", "measure without loops"), how many are done,
and of how many, None where that is not known."""


class GradedPair(TypedDict):
    """A grade against the truth."""

    decided: bool
    true: bool
    confidence: float | None


class CitationCheck(TypedDict):
    source: str
    verbatim: bool


class AnswerMeasurement(TypedDict):
    """`rankings[n]` holds the sources known after loop n, best grade first."""

    status: Status
    contains: bool
    token_f1: float
    citations: list[CitationCheck]
    loop_count: int
    rankings: list[list[str]]
    llm_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


class Measurement(TypedDict):
    """One query's measurement.

    `ranking` is of the stand-alone question, `raw_ranking` of the last turn as typed (None
    without history), `rewrite_ranking` of a person's rewrite (None without one); at
    least 20 sources where there are as many. `relevant` and `answerable` repeat the query,
    `has_answers` says whether it has gold answers. `id` starts
    with "grading:" for a query of grading.jsonl, which is graded and not asked.
    """

    id: str
    relevant: list[str]
    answerable: bool | None
    has_answers: bool
    standalone_question: str
    ranking: list[str]
    raw_ranking: list[str] | None
    rewrite_ranking: list[str] | None
    graded: list[GradedPair]
    answer: AnswerMeasurement | None
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Measurements in the dataset's order; `baseline` are the same queries without loops."""

    dataset: str
    config: dict[str, Any]
    seed: int
    measurements: tuple[Measurement, ...]
    baseline: tuple[Measurement, ...] | None = None
