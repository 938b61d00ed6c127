"""An evaluation as one self-contained page: figures, and the questions gone wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from rag.evaluate.figures import asked
from rag.evaluate.labels import known
from rag.evaluate.measurements import Evaluation, Measurement
from rag.evaluate.metrics import recall_at
from rag.evaluate.tables import Table, subtitle, tables
from rag.pages.page_frame import page as framed
from rag.pages.pieces import table, tiles

_TILES = (
    ("retrieval", "recall@5"),
    ("retrieval", "ndcg@10"),
    ("grading", "auc"),
    ("abstention", "f1"),
    ("answers", "contains"),
    ("citations", "verbatim"),
)
_MOST_QUESTIONS = 200


def page(evaluation: Evaluation, report: dict[str, Any]) -> str:
    """The HTML of the whole page; every text of dataset and settings is escaped."""
    measured = asked(evaluation.measurements)
    config = report["config"]
    body = [
        f"<h1>{escape(evaluation.dataset)}</h1>",
        f"<p class=meta>{escape(subtitle(report))}</p>",
        tiles(_most_looked_at(report)),
        *map(_table, tables(report)),
        _questions(measured),
        _folded("Settings", ("", ""), [(k, str(v)) for k, v in config.items() if v is not None]),
    ]
    return framed(f"crag eval · {evaluation.dataset}", "\n".join(body))


def _most_looked_at(report: dict[str, Any]) -> dict[str, str]:
    return {
        f"{label.section} {label.key}": f"{value:.1%}"
        for label, value in known(report)
        if (label.section, label.key) in _TILES
    }


def _table(told: Table) -> str:
    rows = [
        [f"<b>{escape(cell)}</b>" if row.look == "head" else escape(cell) for cell in row.cells]
        for row in told.rows
    ]
    drawn = table(told.head, rows, range(1, told.numbers + 1))
    return f"<h2>{escape(told.title or 'All figures')}</h2>{drawn}"


def _folded(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = [[escape(text) for text in row] for row in rows]
    return f"<details><summary>{escape(title)}</summary>{table(head, cells)}</details>"


def _questions(measured: Sequence[Measurement]) -> str:
    wrong = [(m["id"], m["standalone_question"], fault) for m in measured for fault in _faults(m)]
    if not wrong:
        return ""
    more = len(wrong) - _MOST_QUESTIONS
    title = f"{len(wrong):,} things that went wrong"
    title += f", the first {_MOST_QUESTIONS}" if more > 0 else ""
    return _folded(title, ("id", "question", "what"), wrong[:_MOST_QUESTIONS])


def _faults(measured: Measurement) -> Iterable[str]:
    relevant, answer = measured["relevant"], measured["answer"]
    if relevant and not recall_at(20, measured["ranking"], relevant):
        yield "nothing relevant among the first 20"
    if answer is None:
        return
    abstained = answer["status"] == "abstained"
    if measured["answerable"] and abstained:
        yield "abstained on an answerable question"
    elif measured["answerable"] is False and not abstained:
        yield "answered an unanswerable question"
    elif measured["answerable"] and measured["has_answers"] and not answer["contains"]:
        yield "the answer does not hold a gold answer"
    if any(not citation["verbatim"] for citation in answer["citations"]):
        yield "a quote is not in its document"
