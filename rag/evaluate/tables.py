"""A report as tables of words, for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rag.evaluate.labels import DIFFERENCES, LABELS, known
from state.counting import many


@dataclass(frozen=True, slots=True)
class Row:
    """Fewer `cells` than there are columns leave the last ones empty."""

    cells: Sequence[str]
    look: Literal["", "head"] = ""


@dataclass(frozen=True, slots=True)
class Table:
    """`head` names the columns: a name, so many `numbers`, and text."""

    title: str
    head: Sequence[str]
    numbers: int
    rows: Sequence[Row]


def tables(report: dict[str, Any]) -> Iterator[Table]:
    """Every figure, then what else was measured."""
    yield _figures(report)
    if "follow_ups" in report:
        yield _follow_ups(report["follow_ups"])
    if "baseline" in report:
        yield _baseline(report["baseline"])


def subtitle(report: dict[str, Any]) -> str:
    """What was asked of what, and how."""
    config = report["config"]
    thinks = config["engine"] + (f" ({config['model']})" if config["model"] else "")
    return (
        f"{report['dataset']}: {many(report['queries'], 'question')}, "
        f"{config['documents']:,} documents in {config['chunks']:,} chunks; "
        f"engine {thinks}, k {config['k']}, at most {config['max_loops']} loops"
    )


def _figures(report: dict[str, Any]) -> Table:
    rows = []
    section = ""
    for label, value in known(report):
        if label.section != section:
            section = label.section
            rows.append(Row([section.removesuffix("_ms")], "head"))
        rows.append(Row([f"  {label.key}", label.text(value), label.meaning]))
    return Table("", ("", "", ""), 1, rows)


def _follow_ups(figures: dict[str, Any]) -> Table:
    ways = ("as_typed", "resolved", "by_a_person")
    rows = [
        Row([f"  {label.key}", *(label.text(figures[way][label.key]) for way in ways)])
        for label in LABELS
        if label.section == "retrieval"
    ]
    head = ("", "as typed", "resolved", "by a person")
    return Table(many(figures["n"], "follow-up question"), head, 3, rows)


def _baseline(baseline: dict[str, Any]) -> Table:
    changes = [(label, label.key, baseline["differences"][label.key]) for label in DIFFERENCES]
    recall = changes[1][0]
    changes.insert(2, (recall, " first missed", baseline["first_retrieval_missed"]))
    changes.insert(3, (recall, " first found", baseline["first_retrieval_found"]))
    names = {"right_to_abstain_or_answer": "right status", "milliseconds": "time"}
    rows = [
        Row(
            [
                names.get(name, name),
                label.text(change["without"]),
                label.text(change["with"]),
                label.text(change["difference"], signed=True),
                " ".join(f"{bound:+.3f}" for bound in change["ci95"]),
                *(f"{change[way]:,}" for way in ("helped", "hurt")[:: label.better]),
                f"{change['n']:,}",
            ]
        )
        for label, name, change in changes
        if change["n"]
    ]
    columns = ("", "without", "with", "gain", "95 %", "better", "worse", "n")
    return Table("what the loop gained", columns, 7, rows)
