"""An evaluation on a terminal: the table of figures."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from cli.terminal import Terminal, clean
from rag.evaluate.labels import DIFFERENCES, LABELS, Label, known
from state.counting import many


def print_report(report: dict[str, Any]) -> None:
    console = Terminal().out_console()
    config = report["config"]
    thinks = config["engine"] + (f" ({config['model']})" if config["model"] else "")
    console.print(
        clean(
            f"{report['dataset']}: {many(report['queries'], 'question')}, "
            f"{config['documents']:,} documents in {config['chunks']:,} chunks; "
            f"engine {thinks}, k {config['k']}, at most {config['max_loops']} loops"
        ),
        soft_wrap=True,
    )
    console.print(_comparison(report) if "comparison" in report else _figures(report))
    if "follow_ups" in report:
        console.print(_follow_ups(report["follow_ups"]))
    if "baseline" in report:
        console.print(_baseline(report["baseline"]))


def _table(title: str, *numbers: str, **looks: Any) -> Table:
    """A column of names, and one of `numbers` each; text may follow."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, **looks)
    table.add_column("")
    for number in numbers:
        table.add_column(number, justify="right", no_wrap=True)
    return table


def _figures(report: dict[str, Any]) -> Table:
    table = _table("", "")
    section = ""
    for label, value in known(report):
        if label.section != section:
            section = label.section
            table.add_row(section.removesuffix("_ms"), style="bold")
        table.add_row(f"  {label.key}", label.text(value), label.meaning)
    return table


def _comparison(report: dict[str, Any]) -> Table:
    compared = report["comparison"]
    same = "the same questions" if compared["same_queries"] else "OTHER questions"
    differs = ", ".join(f"{k} {v['old']} → {v['new']}" for k, v in compared["config"].items())
    table = _table(clean(f"against {same}; {differs or 'same settings'}"), "old", "new", "change")
    labels = {f"{label.section}.{label.key}": label for label in LABELS}
    for name, change in compared["changes"].items():
        label = labels[name]
        table.add_row(
            name,
            label.text(change["old"]),
            label.text(change["new"]),
            label.text(change["difference"], signed=True),
            label.meaning,
            style=_style(label, change["difference"]),
        )
    return table


def _style(label: Label, difference: float | None) -> str:
    if not difference or not label.better or label.section in {"latency_ms", "usage"}:
        return ""
    return "green" if difference * label.better > 0 else "red"


def _follow_ups(figures: dict[str, Any]) -> Table:
    title = many(figures["n"], "follow-up question")
    table = _table(title, "as typed", "resolved", "by a person")
    for label in LABELS:
        if label.section == "retrieval":
            ways = ("as_typed", "resolved", "by_a_person")
            values = [label.text(figures[way][label.key]) for way in ways]
            table.add_row(f"  {label.key}", *values)
    return table


def _baseline(baseline: dict[str, Any]) -> Table:
    columns = ("without", "with", "gain", "95 %", "better", "worse", "n")
    table = _table("what the loop gained", *columns, collapse_padding=True)
    rows = [(label, label.key, baseline["differences"][label.key]) for label in DIFFERENCES]
    recall = rows[1][0]
    rows.insert(2, (recall, " first missed", baseline["first_retrieval_missed"]))
    rows.insert(3, (recall, " first found", baseline["first_retrieval_found"]))
    names = {"right_to_abstain_or_answer": "right status", "milliseconds": "time"}
    for label, name, change in rows:
        if not change["n"]:
            continue
        low, high = (f"{bound:+.3f}" for bound in change["ci95"])
        better, worse = change["helped"], change["hurt"]
        if label.better < 0:
            better, worse = worse, better
        table.add_row(
            names.get(name, name),
            label.text(change["without"]),
            label.text(change["with"]),
            label.text(change["difference"], signed=True),
            f"{low} {high}",
            f"{better:,}",
            f"{worse:,}",
            f"{change['n']:,}",
        )
    return table
