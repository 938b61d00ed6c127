"""An evaluation on a terminal: a table of its figures."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from cli.terminal import Terminal, clean
from state.wording import many

_MEANINGS: dict[str, dict[str, str]] = {
    "retrieval": {
        "recall@5": "relevant documents among the first 5",
        "recall@10": "among the first 10",
        "recall@20": "among the first 20",
        "ndcg@10": "order of the first 10 against the ideal one",
        "mrr": "1 / place of the first relevant document",
    },
    "grading": {
        "accuracy": "relevant-or-not decisions that are right",
        "precision": "called relevant that are",
        "recall": "relevant that are called so",
        "f1": "harmonic mean of the two",
        "auc": "relevant chunks graded surer than others",
        "n": "graded chunks of known truth",
    },
    "abstention": {
        "precision": "abstentions on unanswerable questions",
        "recall": "unanswerable questions abstained on",
        "f1": "harmonic mean of the two",
        "answered_unanswerable": "unanswerable but answered",
        "n": "questions",
    },
    "answers": {
        "contains": "answers that hold a gold answer",
        "token_f1": "words shared with the gold answer",
        "n": "answerable questions with gold answers",
    },
    "citations": {
        "verbatim": "quotes that stand in the document as cited",
        "precision": "citations of a relevant document",
    },
    "loops": {
        "mean": "corrections a question",
        "rate": "questions with a correction",
        "gain_recall@5": "recall@5 gained by correcting",
        "hurt": "questions where correcting lost recall@5",
    },
    "latency_ms": {
        "p50": "half of the questions take no longer",
        "p95": "nineteen of twenty take no longer",
    },
    "usage": {
        "llm_calls": "model calls in all",
        "input_tokens": "tokens sent",
        "output_tokens": "tokens received",
        "cost_usd": "dollars spent",
    },
}


def print_report(report: dict[str, Any]) -> None:
    console = Terminal().out_console()
    console.print(clean(_subtitle(report)), soft_wrap=True)
    console.print(_figures(report))
    if "follow_ups" in report:
        console.print(_follow_ups(report["follow_ups"]))


def _subtitle(report: dict[str, Any]) -> str:
    """What was asked of what, and how."""
    config = report["config"]
    thinks = config["engine"] + (f" ({config['model']})" if config["model"] else "")
    return (
        f"{report['dataset']}: {many(report['queries'], 'question')}, "
        f"{config['documents']:,} documents in {config['chunks']:,} chunks; "
        f"engine {thinks}, k {config['k']}, at most {config['max_loops']} loops"
    )


def _table(title: str = "") -> Table:
    return Table(title=title, title_justify="left", box=None, pad_edge=False)


def _figures(report: dict[str, Any]) -> Table:
    """Those that the data define, and no counts of nothing; beside them those without loops."""
    without = report.get("baseline", {})
    table = _table()
    table.add_column("")
    table.add_column("", justify="right", no_wrap=True)
    if without:
        table.add_column("without loops", justify="right", no_wrap=True)
    table.add_column("")
    for section, meanings in _MEANINGS.items():
        figures = report[section]
        known = [key for key in meanings if figures[key] is not None and figures.get("n") != 0]
        if known:
            table.add_row(section.removesuffix("_ms"), style="bold")
        for key in known:
            same = section not in without
            beside = ["" if same else _text(without[section][key])] if without else []
            table.add_row(f"  {key}", _text(figures[key]), *beside, meanings[key])
    return table


def _follow_ups(figures: dict[str, Any]) -> Table:
    ways = ("as_typed", "resolved", "by_a_person")
    table = _table(many(figures["n"], "follow-up question"))
    table.add_column("")
    for way in ways:
        table.add_column(way.replace("_", " "), justify="right", no_wrap=True)
    for key in _MEANINGS["retrieval"]:
        table.add_row(f"  {key}", *(_text(figures[way][key]) for way in ways))
    return table


def _text(value: float | None) -> str:
    """A count, a share, or a dash where the data do not define it."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
