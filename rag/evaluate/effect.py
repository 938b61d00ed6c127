"""What the corrective loop gained and where it hurt: the same queries with it and without; and how
sure that is, by resampling, deterministic by seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from rag.evaluate.figures import FULL, answered, asked, mean
from rag.evaluate.measurements import AnswerMeasurement, Evaluation, Measurement
from rag.evaluate.metrics import recall_at

_RESAMPLES = 2_000

Answered = tuple[Measurement, AnswerMeasurement]
Pair = tuple[Answered, Answered]
Score = Callable[[Measurement, AnswerMeasurement], float | None]


def baseline_report(evaluation: Evaluation) -> dict[str, Any]:
    """The figures without loops, and the differences that the loops make, query by query.

    A difference is with minus without, its interval the bootstrap's 95 %, `helped` and `hurt`
    numbers of queries. The first retrieval missed where some relevant document was not among its
    first 10, and found where all were.
    """
    assert evaluation.baseline is not None
    without, seed = list(evaluation.baseline), evaluation.seed
    pairs = list(zip(answered(asked(evaluation.measurements)), answered(without), strict=True))
    first = [(pair, _recall(10)(*pair[1])) for pair in pairs if pair[1][0]["relevant"]]
    return {
        "max_loops": 0,
        **{name: figures(without) for name, figures in FULL.items() if name != "loops"},
        "differences": {name: difference(pairs, score, seed) for name, score in _SCORES.items()},
        "first_retrieval_missed": difference([p for p, r in first if r != 1], _recall(10), seed),
        "first_retrieval_found": difference([p for p, r in first if r == 1], _recall(10), seed),
    }


def difference(pairs: Sequence[Pair], score: Score, seed: int) -> dict[str, Any]:
    """Of one score, over the pairs that have it; all None without any."""
    scored = [(score(*first), score(*second)) for first, second in pairs]
    both = [(f, s) for f, s in scored if f is not None and s is not None]
    first, second = [f for f, _ in both], [s for _, s in both]
    changes = [f - s for f, s in both]
    interval = bootstrap_interval(changes, seed=seed)
    return {
        "with": mean(first),
        "without": mean(second),
        "difference": mean(changes),
        "ci95": None if interval is None else [round(bound, 4) for bound in interval],
        "helped": sum(change > 0 for change in changes),
        "hurt": sum(change < 0 for change in changes),
        "n": len(both),
    }


def _recall(k: int) -> Score:
    def recall(measured: Measurement, answer: AnswerMeasurement) -> float | None:
        if not measured["relevant"] or not answer["rankings"]:
            return None
        return recall_at(k, answer["rankings"][-1], measured["relevant"])

    return recall


def _against_gold(figure: Literal["contains", "token_f1"]) -> Score:
    def score(measured: Measurement, answer: AnswerMeasurement) -> float | None:
        golden = measured["answerable"] and measured["has_answers"]
        return float(answer[figure]) if golden else None

    return score


def _right_status(measured: Measurement, answer: AnswerMeasurement) -> float | None:
    if measured["answerable"] is None:
        return None
    return float((answer["status"] == "abstained") != measured["answerable"])


_SCORES: dict[str, Score] = {
    "recall@5": _recall(5),
    "recall@10": _recall(10),
    "contains": _against_gold("contains"),
    "token_f1": _against_gold("token_f1"),
    "right_to_abstain_or_answer": _right_status,
    "milliseconds": lambda measured, _: measured["milliseconds"],
    "tokens": lambda _, answer: float(answer["input_tokens"] + answer["output_tokens"]),
}


def bootstrap_interval(values: Sequence[float], *, seed: int) -> tuple[float, float] | None:
    """95 % percentile interval of the mean under resampling of the queries, None without values.

    Efron & Tibshirani 1993, "An introduction to the bootstrap", chapter 13.
    """
    import numpy as np

    if not values:
        return None
    random = np.random.default_rng(seed)
    means = [random.choice(values, len(values)).mean() for _ in range(_RESAMPLES)]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
