"""What the corrective loop gained and where it hurt: the same queries with it and without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from rag.evaluate.figures import (
    abstention,
    answers,
    asked,
    citations,
    latency,
    mean,
    rounded,
    usage,
)
from rag.evaluate.measurements import Evaluation, Measurement
from rag.evaluate.ranking_metrics import recall_at
from rag.evaluate.resampling import bootstrap_interval, paired_permutation

Pair = tuple[Measurement, Measurement]
Score = Callable[[Measurement], float | None]


def baseline_report(evaluation: Evaluation) -> dict[str, Any]:
    """The figures without loops, and the differences that the loops make, query by query.

    A difference is with minus without, its interval the bootstrap's 95 %, `p` the paired
    permutation test's, `helped` and `hurt` numbers of queries. The first retrieval missed
    where some relevant document was not among its first 10, and found where all were.
    """
    assert evaluation.baseline is not None
    with_loops, without = asked(evaluation.measurements), list(evaluation.baseline)
    pairs = list(zip(with_loops, without, strict=True))
    judged = [pair for pair in pairs if pair[1]["relevant"] and pair[1]["answer"] is not None]
    missed = [pair for pair in judged if _recall(10)(pair[1]) != 1]
    found = [pair for pair in judged if _recall(10)(pair[1]) == 1]
    seed = evaluation.seed
    return {
        "max_loops": 0,
        "abstention": abstention(without),
        "answers": answers(without),
        "citations": citations(without),
        "latency_ms": latency(without),
        "usage": usage(without),
        "differences": {
            "recall@5": difference(pairs, _recall(5), seed),
            "recall@10": difference(pairs, _recall(10), seed),
            "contains": difference(pairs, _against_gold("contains"), seed),
            "token_f1": difference(pairs, _against_gold("token_f1"), seed),
            "right_to_abstain_or_answer": difference(pairs, _right_status, seed),
            "milliseconds": difference(pairs, lambda m: m["milliseconds"], seed),
            "tokens": difference(pairs, _tokens, seed),
        },
        "first_retrieval_missed": difference(missed, _recall(10), seed),
        "first_retrieval_found": difference(found, _recall(10), seed),
    }


def difference(pairs: Sequence[Pair], score: Score, seed: int) -> dict[str, Any]:
    """Of one score, over the pairs that have it; all None without any."""
    scored = [(score(first), score(second)) for first, second in pairs]
    both = [(f, s) for f, s in scored if f is not None and s is not None]
    first, second = [f for f, _ in both], [s for _, s in both]
    changes = [f - s for f, s in both]
    interval = bootstrap_interval(changes, seed=seed)
    return {
        "with": mean(first),
        "without": mean(second),
        "difference": mean(changes),
        "ci95": None if interval is None else [round(bound, 4) for bound in interval],
        "p": rounded(paired_permutation(first, second, seed=seed)),
        "helped": sum(change > 0 for change in changes),
        "hurt": sum(change < 0 for change in changes),
        "n": len(both),
    }


def _recall(k: int) -> Score:
    def recall(measured: Measurement) -> float | None:
        answer = measured["answer"]
        if not measured["relevant"] or answer is None or not answer["rankings"]:
            return None
        return recall_at(k, answer["rankings"][-1], measured["relevant"])

    return recall


def _against_gold(figure: Literal["contains", "token_f1"]) -> Score:
    def score(measured: Measurement) -> float | None:
        answer = measured["answer"]
        if answer is None or not measured["answerable"] or not measured["has_answers"]:
            return None
        return float(answer[figure])

    return score


def _right_status(measured: Measurement) -> float | None:
    answer = measured["answer"]
    if answer is None or measured["answerable"] is None:
        return None
    return float((answer["status"] == "abstained") != measured["answerable"])


def _tokens(measured: Measurement) -> float | None:
    answer = measured["answer"]
    return None if answer is None else float(answer["input_tokens"] + answer["output_tokens"])
