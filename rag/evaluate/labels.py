"""The figures of a report in the order and the words in which people read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Unit(StrEnum):
    """How a value of it is written, for `str.format`."""

    SHARE = "{value:{sign}.3f}"
    COUNT = "{value:{sign},.0f}"
    MILLISECONDS = "{value:{sign},.1f} ms"
    DOLLARS = "${value:{sign},.4f}"


@dataclass(frozen=True, slots=True)
class Label:
    """`better` is +1 where more is better, -1 where less is, 0 where neither."""

    section: str
    key: str
    meaning: str
    unit: Unit = Unit.SHARE
    better: int = 1

    def of(self, report: Mapping[str, Any]) -> float | None:
        value = report.get(self.section, {}).get(self.key)
        return None if value is None else float(value)

    def text(self, value: float | None, *, signed: bool = False) -> str:
        """The value as people read it; a dash where the data do not define it."""
        if value is None:
            return "-"
        return self.unit.format(value=value, sign="+" if signed else "")


LABELS = (
    Label("retrieval", "recall@5", "relevant documents among the first 5"),
    Label("retrieval", "recall@10", "among the first 10"),
    Label("retrieval", "recall@20", "among the first 20"),
    Label("retrieval", "ndcg@10", "order of the first 10 against the ideal one"),
    Label("retrieval", "mrr", "1 / place of the first relevant document"),
    Label("grading", "accuracy", "relevant-or-not decisions that are right"),
    Label("grading", "balanced_accuracy", "the same, both classes counting alike"),
    Label("grading", "precision", "called relevant that are"),
    Label("grading", "recall", "relevant that are called so"),
    Label("grading", "f1", "harmonic mean of the two"),
    Label("grading", "auc", "relevant chunks graded surer than others"),
    Label("grading", "ece", "mean error of the confidence", better=-1),
    Label("grading", "n", "graded chunks of known truth", Unit.COUNT, 0),
    Label("abstention", "precision", "abstentions on unanswerable questions"),
    Label("abstention", "recall", "unanswerable questions abstained on"),
    Label("abstention", "f1", "harmonic mean of the two"),
    Label("abstention", "balanced_accuracy", "answer or abstain, both kinds counting alike"),
    Label("abstention", "answered_unanswerable", "unanswerable but answered", Unit.COUNT, -1),
    Label("abstention", "n", "questions", Unit.COUNT, 0),
    Label("answers", "contains", "answers that hold a gold answer"),
    Label("answers", "token_f1", "words shared with the gold answer"),
    Label("answers", "n", "answerable questions with gold answers", Unit.COUNT, 0),
    Label("citations", "verbatim", "quotes that stand in the document as cited"),
    Label("citations", "precision", "citations of a relevant document"),
    Label("loops", "mean", "corrections a question", better=0),
    Label("loops", "rate", "questions with a correction", better=0),
    Label("loops", "gain_recall@5", "recall@5 gained by correcting"),
    Label("loops", "hurt", "questions where correcting lost recall@5", better=-1),
    Label("latency_ms", "p50", "half of the questions take less", Unit.MILLISECONDS, -1),
    Label("latency_ms", "p95", "nineteen of twenty take less", Unit.MILLISECONDS, -1),
    Label("usage", "llm_calls", "model calls in all", Unit.COUNT, -1),
    Label("usage", "input_tokens", "tokens sent", Unit.COUNT, -1),
    Label("usage", "output_tokens", "tokens received", Unit.COUNT, -1),
    Label("usage", "cost_usd", "money spent", Unit.DOLLARS, -1),
)

DIFFERENCES = (
    Label("differences", "recall@5", "recall@5 of graded documents"),
    Label("differences", "recall@10", "recall@10 of graded documents"),
    Label("differences", "contains", "answers that hold a gold answer"),
    Label("differences", "token_f1", "words shared with the gold answer"),
    Label("differences", "right_to_abstain_or_answer", "right to answer or to abstain"),
    Label("differences", "milliseconds", "time a question", Unit.MILLISECONDS, -1),
    Label("differences", "tokens", "tokens a question", Unit.COUNT, -1),
)


def known(report: Mapping[str, Any]) -> Iterator[tuple[Label, float]]:
    """The figures that the report has; no counts of nothing."""
    for label in LABELS:
        value = label.of(report)
        if value is not None and (label.key != "n" or value):
            yield label, value
