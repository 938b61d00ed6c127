"""An evaluation as one self-contained page: figures, and the questions gone wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from rag.evaluate.figures import answered, asked
from rag.evaluate.labels import DIFFERENCES, LABELS, known
from rag.evaluate.measurements import Evaluation, Measurement
from rag.evaluate.metrics import recall_at
from rag.pages.page_frame import page as framed
from rag.pages.pieces import Cell, table, tiles

_TILES = (
    ("retrieval", "recall@5"),
    ("retrieval", "ndcg@10"),
    ("grading", "auc"),
    ("abstention", "f1"),
    ("answers", "contains"),
    ("citations", "verbatim"),
)
_MOST_QUESTIONS = 200
_STYLE = """
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
  gap: 1rem; margin: 1.6rem 0 } .figures figure { padding: .6rem 1.2rem 1rem }
"""


def page(evaluation: Evaluation, report: dict[str, Any]) -> str:
    """The HTML of the whole page; every text of dataset and settings is escaped."""
    measured = asked(evaluation.measurements)
    times = [answer["timings_ms"] for _, answer in answered(measured)]
    tokens = [answer["tokens_by_node"] for _, answer in answered(measured)]
    tokens_note = "Tokens a question, sent and received, mean."
    figures = [
        _follow_ups(report),
        _loop_differences(report),
        _shares("Where the time goes", "Milliseconds a question, mean.", times, "{:,.1f} ms"),
        _shares("Where the tokens go", tokens_note, tokens, "{:,.0f}"),
    ]
    config = report["config"]
    body = [
        f"<h1>{escape(evaluation.dataset)}</h1>",
        f"<p class=meta>{escape(_subtitle(report))}</p>",
        tiles(_most_looked_at(report)),
        f"<section class=figures>{''.join(figures)}</section>",
        "<h2>All figures</h2>",
        table(("", "figure", "value", "meaning"), _rows(report), (2,)),
        _questions(measured),
        _folded("Settings", ("", ""), [(k, str(v)) for k, v in config.items() if v is not None]),
    ]
    return framed(f"crag eval · {evaluation.dataset}", "\n".join(body), _STYLE)


def _subtitle(report: dict[str, Any]) -> str:
    config = report["config"]
    thinks = config["model"] or f"{config['engine']} engine"
    return (
        f"{report['queries']:,} questions on {config['documents']:,} documents "
        f"({config['chunks']:,} chunks) · {thinks} · k {config['k']} · "
        f"at most {config['max_loops']} loops"
    )


def _most_looked_at(report: dict[str, Any]) -> dict[str, str]:
    return {
        f"{label.section} {label.key}": f"{value:.1%}"
        for label, value in known(report)
        if (label.section, label.key) in _TILES
    }


def _rows(report: dict[str, Any]) -> Iterator[Sequence[str]]:
    section = ""
    for label, value in known(report):
        head = "" if label.section == section else f"<b>{label.section.removesuffix('_ms')}</b>"
        section = label.section
        yield head, escape(label.key), escape(label.text(value)), escape(label.meaning)


def _folded(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = [[escape(text) for text in row] for row in rows]
    return f"<details><summary>{escape(title)}</summary>{table(head, cells)}</details>"


def _figure(title: str, note: str, head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Numbers by name; nothing without any."""
    if not rows:
        return ""
    drawn = table(head, rows, range(1, len(head)))
    return (
        f"<figure><h2>{escape(title)}</h2>{drawn}<figcaption>{escape(note)}</figcaption></figure>"
    )


def _follow_ups(report: dict[str, Any]) -> str:
    held = report.get("follow_ups", {"n": 0})
    ways = ("as_typed", "resolved", "by_a_person")
    rows = [
        (label.key, *(label.text(held[way][label.key]) for way in ways))
        for label in LABELS
        if label.section == "retrieval" and held["n"]
    ]
    return _figure(
        "Follow-ups",
        f"The first search of {held['n']:,} questions that follow others.",
        ("", "as typed", "resolved", "rewritten by a person"),
        rows,
    )


def _loop_differences(report: dict[str, Any]) -> str:
    differences = report.get("baseline", {}).get("differences", {})
    rows = [
        (
            label.key.replace("_", " "),
            label.text(change["without"]),
            label.text(change["with"]),
            label.text(change["difference"], signed=True),
            " to ".join(label.text(bound, signed=True) for bound in change["ci95"]),
        )
        for label in DIFFERENCES
        if (change := differences.get(label.key)) and change["n"]
    ]
    return _figure(
        "With the loop, against without",
        "Mean difference over the same questions with its 95 % bootstrap interval.",
        ("", "without", "with", "difference", "95 %"),
        rows,
    )


def _shares(title: str, note: str, by_node: Sequence[Mapping[str, float]], form: str) -> str:
    """Means by node, the largest first, with bars; nothing where none takes anything."""
    nodes = {
        node: sum(each.get(node, 0.0) for each in by_node) / len(by_node)
        for node in dict.fromkeys(node for each in by_node for node in each)
        if node != "total"
    }
    most = max(nodes.values(), default=0)
    largest = sorted(nodes.items(), key=lambda item: -item[1])
    rows = [(escape(name), form.format(v), v / most) for name, v in largest if v > 0]
    return _figure(title, note, ("node", "", ""), rows)


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
