"""A fitted logistic regression, read from a data file of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


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
