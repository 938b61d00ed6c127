"""The figures of `crag.eval/1` from measurements; a figure without data is None, never 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rag.evaluate.measure import GradedPair, Measurement
from rag.evaluate.metrics import auc, binary_rates, contains, ir_metrics, token_f1, without_markers
from state.answer import Answer, add_usages

Figures = dict[str, Any]
Answered = Sequence[tuple[Measurement, Answer]]


def build_report(
    dataset: str,
    config: Figures,
    measured: Sequence[Measurement],
    judged: Sequence[GradedPair] = (),
    baseline: Sequence[Measurement] | None = None,
) -> Figures:
    """The object that `crag eval --json` prints; `judged` are the grades of grading.jsonl's
    documents, `baseline` the same queries without loops.
    """
    graded = [pair for m in measured for pair in m.graded]
    figures: Figures = {
        "schema": "crag.eval/1",
        "dataset": dataset,
        "queries": len(measured),
        "config": config,
        "retrieval": _ranked(measured),
        "grading": _grading([*graded, *judged]),
        **_asked(measured),
    }
    if baseline is not None:
        figures["baseline"] = {"max_loops": 0, **_asked(baseline)}
    return figures


def _asked(measured: Sequence[Measurement]) -> Figures:
    """The sections that need whole answers."""
    answered = [(m, m.answer) for m in measured if m.answer is not None]
    return {
        "abstention": _abstention(answered),
        "answers": _answers(answered),
        "citations": _citations(answered),
        "loops": _loops(answered),
        "latency_ms": _latency(measured),
        "usage": _usage(answered),
    }


def _ranked(measured: Sequence[Measurement]) -> Figures:
    """Retrieval metrics over the queries that have relevant documents."""
    figures = [ir_metrics(m.ranking, m.query.relevant) for m in measured if m.query.relevant]
    return {name: _mean(each[name] for each in figures) for name in ir_metrics((), ("any",))}


def _grading(pairs: Sequence[GradedPair]) -> Figures:
    """Grading metrics over chunks whose truth is known; the AUC over those with a confidence."""
    sure = [(pair.confidence, pair.true) for pair in pairs if pair.confidence is not None]
    decided = binary_rates((pair.decided, pair.true) for pair in pairs)
    return {
        **{name: _rounded(rate) for name, rate in decided.items()},
        "auc": _rounded(auc([confidence for confidence, _ in sure], [true for _, true in sure])),
        "n": len(pairs),
    }


def _abstention(answered: Answered) -> Figures:
    """Figures over the questions known to be answerable or not. Abstaining is the positive
    decision, being unanswerable the positive truth; `answered_unanswerable` counts the unanswerable
    that were answered all the same.
    """
    decisions = [
        (answer["status"] == "abstained", not m.query.answerable)
        for m, answer in answered
        if m.query.answerable is not None
    ]
    decided = binary_rates(decisions)
    return {
        **{name: _rounded(decided[name]) for name in ("precision", "recall", "f1")},
        "answered_unanswerable": decisions.count((False, True)) if decisions else None,
        "n": len(decisions),
    }


def _answers(answered: Answered) -> Figures:
    """Figures over answerable queries with gold answers; an abstention holds none of them."""
    told = [
        ("" if answer["status"] == "abstained" else without_markers(answer["answer"]), m.query)
        for m, answer in answered
        if m.query.answerable and m.query.answers
    ]
    return {
        "contains": _mean(contains(text, query.answers) for text, query in told),
        "token_f1": _mean(token_f1(text, query.answers) for text, query in told),
        "n": len(told),
    }


def _citations(answered: Answered) -> Figures:
    """`verbatim` is the share of quotes that are the document's text at their offsets; `precision`
    the share of citations of relevant documents, over queries that have relevant ones.
    """
    held = [(m.query.relevant, *cited) for m, _ in answered for cited in m.cited]
    return {
        "verbatim": _mean(verbatim for *_, verbatim in held),
        "precision": _mean(source in relevant for relevant, source, _ in held if relevant),
    }


def _loops(answered: Answered) -> Figures:
    """Gain and hurt compare with what the same run knew before its first correction: the mean
    change of recall@5 of graded documents, and the share of queries where it fell.
    """
    known = [
        [ir_metrics(sources, m.query.relevant)["recall@5"] for sources in m.known]
        for m, _ in answered
        if m.query.relevant and m.known
    ]
    changes = [recalls[-1] - recalls[0] for recalls in known]
    return {
        "mean": _mean(answer["loop_count"] for _, answer in answered),
        "rate": _mean(answer["loop_count"] > 0 for _, answer in answered),
        "gain_recall@5": _mean(changes),
        "hurt": _mean(change < 0 for change in changes),
    }


def _latency(measured: Sequence[Measurement]) -> Figures:
    """Percentiles as nearest ranks: half of the queries took no longer, and 19 of 20."""
    times = sorted(m.milliseconds for m in measured)
    ranks = {"p50": (len(times) - 1) // 2, "p95": -(-len(times) * 19 // 20) - 1}
    return {name: round(times[rank], 1) if times else None for name, rank in ranks.items()}


def _usage(answered: Answered) -> Figures:
    """Sums over the queries; the cost is None as soon as one query's is unknown."""
    totals: Figures = {**add_usages(answer["usage"] for _, answer in answered)}
    del totals["by_node"]
    totals["cost_usd"] = _rounded(totals["cost_usd"])
    return totals if answered else dict.fromkeys(totals)


def _mean(values: Iterable[float]) -> float | None:
    held = list(values)
    return _rounded(sum(held) / len(held)) if held else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
