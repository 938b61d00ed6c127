"""How good yes-or-no decisions and their confidences are; pure functions.

A figure that its data do not define (precision of a class never predicted, AUC of one
class) is None, never 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

_BINS = 10


@dataclass(frozen=True, slots=True)
class Decisions:
    """A confusion matrix of one yes-or-no decision."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> Decisions:
        """Counted from pairs (decided, true)."""
        n = Counter(pairs)
        return cls(n[True, True], n[True, False], n[False, True], n[False, False])

    @property
    def n(self) -> int:
        return (
            self.true_positives + self.false_positives + self.false_negatives + self.true_negatives
        )

    @property
    def accuracy(self) -> float | None:
        return _share(self.true_positives + self.true_negatives, self.n)

    @property
    def precision(self) -> float | None:
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall (van Rijsbergen 1979), as 2TP/(2TP+FP+FN).

        None without a single true positive to find.
        """
        if not self.true_positives + self.false_negatives:
            return None
        wrong = self.false_positives + self.false_negatives
        return _share(2 * self.true_positives, 2 * self.true_positives + wrong)

    @property
    def balanced_accuracy(self) -> float | None:
        """Mean of the recalls of both classes, None where one of them is absent."""
        specificity = _share(self.true_negatives, self.true_negatives + self.false_positives)
        if self.recall is None or specificity is None:
            return None
        return (self.recall + specificity) / 2


@dataclass(frozen=True, slots=True)
class Bin:
    """The predictions whose confidence lies in (lower, upper]; the first takes 0 as well."""

    lower: float
    upper: float
    n: int
    confidence: float | None
    share: float | None


def auc(scores: Sequence[float], labels: Sequence[bool]) -> float | None:
    """Probability that a positive scores above a negative, ties counting half.

    The Mann-Whitney form of the area under the ROC curve: Hanley & McNeil 1982, "The
    meaning and use of the area under a ROC curve".
    """
    import numpy as np

    values, true = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    positives, negatives = values[true], np.sort(values[~true])
    if not len(positives) or not len(negatives):
        return None
    below, not_above = (np.searchsorted(negatives, positives, side) for side in ("left", "right"))
    return float((below + not_above).mean() / (2 * len(negatives)))


def reliability(confidences: Sequence[float], labels: Sequence[bool]) -> list[Bin]:
    """Ten equal-width bins of confidence with the share that was true in each.

    The reliability diagram of DeGroot & Fienberg 1983.
    """
    members: list[list[tuple[float, bool]]] = [[] for _ in range(_BINS)]
    for confidence, label in zip(confidences, labels, strict=True):
        place = max(0, min(_BINS, ceil(confidence * _BINS)) - 1)
        members[place].append((confidence, label))
    return [
        Bin(
            lower=place / _BINS,
            upper=(place + 1) / _BINS,
            n=len(held),
            confidence=_share(sum(c for c, _ in held), len(held)),
            share=_share(sum(label for _, label in held), len(held)),
        )
        for place, held in enumerate(members)
    ]


def calibration_error(confidences: Sequence[float], labels: Sequence[bool]) -> float | None:
    """Expected calibration error: mean |share true - confidence| over bins, by their size.

    Naeini, Cooper & Hauskrecht 2015, "Obtaining well calibrated probabilities using
    Bayesian binning"; of a positive's probability, not of the top class.
    """
    if not confidences:
        return None
    return sum(
        held.n / len(confidences) * abs(held.share - held.confidence)
        for held in reliability(confidences, labels)
        if held.share is not None and held.confidence is not None
    )


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None
