"""The grader's fitted logistics, which map features to calibrated probabilities.

`grader.json` is written by `tests/benchmarks/fit_grader.py` from labelled sets.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("grader.json")


@dataclass(frozen=True, slots=True)
class Logistic:
    """`weights` are for raw feature values; `threshold` is the probability to decide by."""

    intercept: float
    weights: Mapping[str, float]
    threshold: float

    def probability(self, features: Mapping[str, float]) -> float:
        """0 to 1. Every weighted feature must be given.

        Raises:
            KeyError: a feature is missing.
        """
        total = self.intercept + sum(w * features[name] for name, w in self.weights.items())
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, total))))


@dataclass(frozen=True, slots=True)
class GraderModel:
    """`in_domain` says whether the collection covers the question, and `chunk` whether a chunk is
    relevant if so. Where models read, `reader` stands in for `in_domain`, with its threshold, and
    says whether what is shown answers.

    A chunk is relevant from the confidence `relevant` on, if the collection covers the question.
    """

    chunk: Logistic
    in_domain: Logistic
    reader: Logistic

    @property
    def relevant(self) -> float:
        return self.chunk.threshold

    def confidence(self, features: Mapping[str, float], in_domain: float) -> float:
        """The probability that a chunk is relevant.

        A question foreign to the collection has best chunks too, which stand out from the rest as
        right ones do; so the probability `in_domain` that the collection covers it bounds each.
        """
        return self.chunk.probability(features) * min(1.0, in_domain / self.in_domain.threshold)

    def is_in_domain(self, score: float) -> bool:
        """Whether the collection covers the question well enough for any chunk to be relevant.

        Kept apart from the confidence: one steep enough to abstain by would rank the chunks of hard
        questions below those of easy ones.
        """
        return score >= self.in_domain.threshold


@cache
def grader_model() -> GraderModel:
    return model_from(json.loads(_FILE.read_text(encoding="utf-8")))


def model_from(data: Mapping[str, Any]) -> GraderModel:
    return GraderModel(*(Logistic(**data[name]) for name in ("chunk", "in_domain", "reader")))
