"""The fitted numbers of the grader: features to calibrated probabilities.

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
    """A logistic regression on raw feature values."""

    intercept: float
    weights: Mapping[str, float]

    def probability(self, features: Mapping[str, float]) -> float:
        """0 to 1; every weighted feature must be given."""
        total = self.intercept + sum(w * features[name] for name, w in self.weights.items())
        return 1 / (1 + math.exp(-max(-40.0, min(40.0, total))))


@dataclass(frozen=True, slots=True)
class GraderModel:
    """`chunk`: is this chunk relevant, if the collection knows of the matter at all;
    `known`: does it; `enough`: can the chunks found relevant answer the question.

    A chunk is correct from `correct` on, incorrect below `incorrect`, ambiguous between;
    it counts as relevant from `relevant` on.
    """

    chunk: Logistic
    known: Logistic
    enough: Logistic
    known_from: float
    relevant: float
    correct: float
    incorrect: float
    sufficient: float


@cache
def grader_model() -> GraderModel:
    return model_from(json.loads(_FILE.read_text(encoding="utf-8")))


def model_from(data: Mapping[str, Any]) -> GraderModel:
    chunk, known, enough = (
        Logistic(data[name]["intercept"], data[name]["weights"])
        for name in ("chunk", "known", "enough")
    )
    return GraderModel(chunk, known, enough, **data["thresholds"])
