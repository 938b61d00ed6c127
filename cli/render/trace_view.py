"""A run as a tree on a terminal: queries, chunks, grades, decisions, time and tokens; research as
lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.filesize import decimal

from cli.terminal import clean, rows
from rag.tracing import is_research
from state.answer import FAILED, Answer
from state.events import Event, RetrievedItem
from state.passages import Grade
from state.trace_store import Trace
from state.wording import many, written_place

if TYPE_CHECKING:
    from rich.console import Console

_DECISIONS = {"generate": "answer", "transform_query": "rewrite the query", "abstain": "abstain"}
_MARK = {True: ("✓", "green"), False: ("✗", "red")}
WORTH_SAYING = 0.05
"""The least share of a turn's time of a node that is listed; `--json` has all of them."""


class TraceView:
    """Prints each event as it comes, live or from a stored trace."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._retrieved: list[RetrievedItem] = []
        self._grades: dict[str, Grade] = {}
        self._question = ""

    def show_stored(self, trace: Trace) -> None:
        for event in trace["events"]:
            self.show(event)
        if trace["answer"]["status"] != FAILED and not is_research(trace):
            self.show({"event": "answer", "answer": trace["answer"]})

    def show(self, event: Event) -> None:
        """Print an event; the starts and ends of nodes print nothing."""
        match event["event"]:
            case "turn_started":
                self._question = event["question"]
                model = f" ({event['model']})" if event["model"] else ""
                self._line("● ", event["question"], "bold")
                self._line("│  ", f"engine {event['engine']}{model}, {event['collection']}", "dim")
            case "contextualized":
                alone, reason = event["standalone_question"], event["reason"] or ""
                if alone != self._question:
                    self._line("├─ ", f"stands alone as: {alone}", "cyan")
                    self._line("│    ", reason, "dim")
                else:
                    self._line("├─ ", reason or "stands alone as asked", "cyan")
            case "retrieved":
                self._retrieved = event["chunks"]
                new = sum(item["new"] for item in event["chunks"])
                self._line("├─ ", f"loop {event['loop']}: {event['query']}", "bold cyan")
                found = many(len(event["chunks"]), "chunk")
                self._line("│  ", f"retrieved {found}, {new} new", "dim")
            case "graded":
                self._grades |= {grade["chunk_id"]: grade for grade in event["grades"]}
                gained = 0
                for item in self._retrieved:
                    if grade := self._grades.get(item["chunk_id"]):
                        self._show_graded(item, grade)
                        gained += item["new"] and grade["relevant"]
                self._line("│  ", f"gained {many(gained, 'relevant chunk')}", "dim")
            case "answer":
                self._show_answer(event["answer"])
            case _:
                self._show_step(event)

    def _show_step(self, event: Event) -> None:
        match event["event"]:
            case "decided":
                told = f"→ {_DECISIONS[event['decision']]}: {event['reason']}"
                self._line("│  ", told, "magenta")
            case "rewritten":
                query = event["query"] or "no better query"
                self._line("│  ", f"↻ {query} — {event['reason']}", "yellow")
            case "draft_rejected":
                self._line("├─ ", "draft withdrawn", "red")
                for claim in event["unsupported"]:
                    self._line("│    ", f"contradicted: {claim}", "dim")
            case "failed":
                where = f" in {event['node']}" if event["node"] else ""
                self._line("└─ ", f"failed{where} ({event['error']})", "bold red")
            case _:
                self._line("", research_line(event) or "", "")

    def _show_graded(self, item: RetrievedItem, grade: Grade) -> None:
        mark, colour = _MARK[grade["relevant"]]
        sure = "    " if grade["confidence"] is None else f"{grade['confidence']:.2f}"
        again = "" if item["new"] else " (seen before)"
        self._line("│  ", f"{mark} {sure} {written_place(item)}{again}", colour)
        ranks = f"bm25 #{item['lexical_rank'] or '-'} dense #{item['dense_rank'] or '-'}"
        reason = grade["reason"] or "no reason given"
        self._line("│      ", f"score {item['score']:.2f} ({ranks}): {reason}", "dim")

    def _show_answer(self, answer: Answer) -> None:
        for claim in answer["claims"]:
            if claim["verdict"] != "verified":
                said = f"{claim['verdict']}: {claim['text']} ({claim['reason']})"
                self._line("├─ ", said, "yellow" if claim["verdict"] == "unverified" else "red")
        usage, total = answer["usage"], answer["timings_ms"]["total"]
        nodes = ((ms, name) for name, ms in answer["timings_ms"].items() if name != "total")
        long = sorted((node for node in nodes if node[0] >= total * WORTH_SAYING), reverse=True)
        where = ", ".join(f"{name} {ms:.0f}" for ms, name in long) or "in no node"
        self._line("└─ ", f"{answer['status']} in {total:.0f} ms ({where})", "bold")
        cost = "" if not usage["cost_usd"] else f", ${usage['cost_usd']:.6f}"
        calls = many(usage["llm_calls"], "call")
        tokens = f"{usage['input_tokens']} tokens in, {usage['output_tokens']} out"
        self._line("   ", f"{calls}, {tokens}{cost}; trace {answer['trace_id']}", "dim")

    def _line(self, lead: str, text: str, style: str) -> None:
        from rich.text import Text

        if not text:
            return
        line = Text(lead, style="dim").append(" ".join(clean(text).split()), style)
        bar = Text("│", style="dim")
        for number, row in enumerate(rows(line, self._console, len(lead))):
            within = number and lead.startswith(("│", "├")) and row.plain.startswith(" ")
            self._console.print(bar + row[1:] if within else row, soft_wrap=True)


def research_line(event: Mapping[str, Any]) -> str | None:
    """The line for an event of a research run; None if there is nothing to say of it."""
    match event["event"]:
        case "research_started":
            return f"research {event['run_id']}: {event['question']}"
        case "planned":
            return f"round {event['round']}: {many(len(event['subtasks']), 'subtask')} planned"
        case "subtask_started":
            return f"  {event['subtask']['role']}: {event['subtask']['instruction']}"
        case "subtask_finished":
            found = f"{many(event['citations'], 'citation')}, {decimal(event['bytes'])}"
            missing = event.get("missing", [])
            found += f", {len(missing)} not found" if missing else ""
            return f"  {event['status']}: {event['artifact']} ({found})"
        case "reflected":
            left = f" (still open: {'; '.join(event['open'])})" if event.get("open") else ""
            return f"round {event['round']} → {event['decision']}: {event['reason']}{left}"
    return None
