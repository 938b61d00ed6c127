"""Measurements to the figures of `crag.eval/1`; a figure without data is None, never 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rag.evaluate.measurements import AnswerMeasurement, Evaluation, Measurement
from rag.evaluate.metrics import (
    auc,
    calibration_error,
    ndcg_at,
    rates,
    recall_at,
    reciprocal_rank,
)

EVAL_SCHEMA = "crag.eval/1"
Figures = dict[str, Any]


def report(evaluation: Evaluation) -> Figures:
    """The object that `crag eval --json` prints, without the baseline."""
    measured = asked(evaluation.measurements)
    figures: Figures = {
        "schema": EVAL_SCHEMA,
        "dataset": evaluation.dataset,
        "queries": len(measured),
        "config": evaluation.config,
        "retrieval": retrieval(measured),
        "grading": grading(evaluation.measurements),
        **{name: figures_of(measured) for name, figures_of in FULL.items()},
    }
    if any(m["raw_ranking"] is not None for m in measured):
        figures["follow_ups"] = follow_ups(measured)
    return figures


def asked(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Those of the dataset's queries, without those of grading.jsonl."""
    return [m for m in measurements if not m["id"].startswith("grading:")]


def retrieval(measured: Sequence[Measurement]) -> Figures:
    """Of the first search, over the queries that have relevant documents."""
    return _ranked([(m["ranking"], m["relevant"]) for m in measured if m["relevant"]])


def follow_ups(measured: Sequence[Measurement]) -> Figures:
    """The resolved question against the last turn as it was typed and, where the dataset
    has it, as a person rewrote it.
    """
    held = [m for m in measured if m["relevant"] and m["raw_ranking"] is not None]
    return {
        "n": len(held),
        "resolved": _ranked([(m["ranking"], m["relevant"]) for m in held]),
        "as_typed": _ranked([(m["raw_ranking"] or [], m["relevant"]) for m in held]),
        "by_a_person": _ranked(
            [(m["rewrite_ranking"], m["relevant"]) for m in held if m["rewrite_ranking"]]
        ),
        "changed": mean(m["ranking"] != m["raw_ranking"] for m in held),
    }


def grading(measured: Sequence[Measurement]) -> Figures:
    """Over graded chunks whose truth is known; AUC and ECE over those with a confidence."""
    decisions = [(pair["decided"], pair["true"]) for m in measured for pair in m["graded"]]
    pairs = [(pair["confidence"], pair["true"]) for m in measured for pair in m["graded"]]
    sure = [(confidence, true) for confidence, true in pairs if confidence is not None]
    confidences, truths = [confidence for confidence, _ in sure], [true for _, true in sure]
    return {
        **{name: rounded(rate) for name, rate in rates(decisions).items()},
        "auc": rounded(auc(confidences, truths)),
        "ece": rounded(calibration_error(confidences, truths)),
        "n": len(decisions),
    }


def abstention(measured: Sequence[Measurement]) -> Figures:
    """Over questions known to be answerable or not. Abstaining is the positive decision,
    being unanswerable the positive truth; `answered_unanswerable` counts the unanswerable
    that were answered all the same.
    """
    decisions = [
        (a["status"] == "abstained", not m["answerable"])
        for m, a in answered(measured)
        if m["answerable"] is not None
    ]
    wanted = ("precision", "recall", "f1", "balanced_accuracy")
    return {
        **{name: rounded(rate) for name, rate in rates(decisions).items() if name in wanted},
        "answered_unanswerable": decisions.count((False, True)) if decisions else None,
        "n": len(decisions),
    }


def answers(measured: Sequence[Measurement]) -> Figures:
    """Over answerable queries with gold answers; an abstention holds none."""
    held = [a for m, a in answered(measured) if m["answerable"] and m["has_answers"]]
    return {
        "contains": mean(a["contains"] for a in held),
        "token_f1": mean(a["token_f1"] for a in held),
        "n": len(held),
    }


def citations(measured: Sequence[Measurement]) -> Figures:
    """Verbatim: the quote is the document's text at its offsets. Precision: its document is
    relevant, over queries that have relevant ones.
    """
    held = [(m, c) for m, a in answered(measured) for c in a["citations"]]
    return {
        "verbatim": mean(citation["verbatim"] for _, citation in held),
        "precision": mean(c["source"] in m["relevant"] for m, c in held if m["relevant"]),
        "n": len(held),
    }


def loops(measured: Sequence[Measurement]) -> Figures:
    """Gain and hurt against what the same run knew before its first correction: the mean
    change of recall@5 of graded documents, and the share of queries where it fell.
    """
    held = answered(measured)
    known = [(a["rankings"], m["relevant"]) for m, a in held if m["relevant"] and a["rankings"]]
    changes = [recall_at(5, got[-1], want) - recall_at(5, got[0], want) for got, want in known]
    return {
        "mean": mean(a["loop_count"] for _, a in held),
        "rate": mean(a["loop_count"] > 0 for _, a in held),
        "gain_recall@5": mean(changes),
        "hurt": mean(change < 0 for change in changes),
    }


def latency(measured: Sequence[Measurement]) -> Figures:
    times = [m["milliseconds"] for m in measured]
    if not times:
        return {"p50": None, "p95": None}
    import numpy as np

    p50, p95 = np.quantile(times, (0.50, 0.95), method="inverted_cdf")  # the nearest rank
    return {"p50": round(float(p50), 1), "p95": round(float(p95), 1)}


def usage(measured: Sequence[Measurement]) -> Figures:
    """Sums over the queries; the cost is None as soon as one question's is unknown."""
    held = [a for _, a in answered(measured)]
    if not held:
        return dict.fromkeys(("llm_calls", "input_tokens", "output_tokens", "cost_usd"))
    known = [cost for a in held if (cost := a["cost_usd"]) is not None]
    return {
        "llm_calls": sum(a["llm_calls"] for a in held),
        "input_tokens": sum(a["input_tokens"] for a in held),
        "output_tokens": sum(a["output_tokens"] for a in held),
        "cost_usd": rounded(sum(known)) if len(known) == len(held) else None,
    }


def mean(values: Iterable[float]) -> float | None:
    held = list(values)
    return rounded(sum(held) / len(held)) if held else None


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def answered(measured: Sequence[Measurement]) -> list[tuple[Measurement, AnswerMeasurement]]:
    return [(m, m["answer"]) for m in measured if m["answer"] is not None]


def _ranked(pairs: Sequence[tuple[list[str], list[str]]]) -> Figures:
    recall = {k: mean(recall_at(k, got, want) for got, want in pairs) for k in (5, 10, 20)}
    return {
        **{f"recall@{k}": share for k, share in recall.items()},
        "ndcg@10": mean(ndcg_at(10, got, want) for got, want in pairs),
        "mrr": mean(reciprocal_rank(got, want) for got, want in pairs),
    }


FULL: dict[str, Callable[[Sequence[Measurement]], Figures]] = {
    "abstention": abstention,
    "answers": answers,
    "citations": citations,
    "loops": loops,
    "latency_ms": latency,
    "usage": usage,
}
"""The sections of what is asked to the end."""
