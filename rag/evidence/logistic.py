"""A fitted logistic regression, read from a data file of numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path


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


@cache
def load_logistic(file: Path) -> Logistic:
    data = json.loads(file.read_text(encoding="utf-8"))
    return Logistic(data["intercept"], data["weights"], data["threshold"])
