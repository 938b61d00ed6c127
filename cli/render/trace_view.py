"""The live tree of a run on stderr: queries, chunks, grades, decisions, time and tokens."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cli.render.text import dollars, place, shorten
from cli.terminal import clean, rows
from rag.tracing.stored_trace import DECISIONS
from state.events import (
    AnswerEvent,
    ContextualizedEvent,
    DecidedEvent,
    DraftRejectedEvent,
    Event,
    FailedEvent,
    GradedEvent,
    RefinedEvent,
    RetrievedEvent,
    RetrievedItem,
    RewrittenEvent,
    TurnStarted,
)
from state.passages import Grade
from state.traces import Trace, TraceSummary
from state.wording import many

if TYPE_CHECKING:
    from rich.console import Console

_MARK = {"correct": ("✓", "green"), "ambiguous": ("?", "yellow"), "incorrect": ("✗", "red")}
WORTH_SAYING = 0.05
"""The share of a turn's time from which a node is named; `--json` has them all."""


class TraceView:
    """Prints each event as it comes; `console` is one on stderr."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._retrieved: list[RetrievedItem] = []
        self._grades: dict[str, Grade] = {}
        self._question = ""

    def show_stored(self, trace: Trace) -> None:
        for event in trace["events"]:
            self.show(event)
        self.show({"event": "answer", "answer": trace["answer"]})

    def show(self, event: Event) -> None:
        """Print what there is to say of one event; nodes' starts and ends say nothing."""
        handler = getattr(self, f"_on_{event['event']}", None)
        if handler is not None:
            handler(event)

    def _on_turn_started(self, event: TurnStarted) -> None:
        self._question = event["question"]
        model = f" ({event['model']})" if event["model"] else ""
        self._line("● ", event["question"], "bold")
        self._line("│  ", f"engine {event['engine']}{model}, {event['collection']}", "dim")

    def _on_contextualized(self, event: ContextualizedEvent) -> None:
        if event["standalone_question"] == self._question:
            self._line("├─ ", event["reason"] or "stands alone as asked", "cyan")
            return
        self._line("├─ ", f"stands alone as: {event['standalone_question']}", "cyan")
        if event["reason"]:
            self._line("│    ", event["reason"], "dim")

    def _on_retrieved(self, event: RetrievedEvent) -> None:
        self._retrieved = event["chunks"]
        new = sum(item["new"] for item in event["chunks"])
        self._line("├─ ", f"loop {event['loop']}: {event['query']}", "bold cyan")
        self._line("│  ", f"retrieved {many(len(event['chunks']), 'chunk')}, {new} new", "dim")

    def _on_graded(self, event: GradedEvent) -> None:
        self._grades |= {grade["chunk_id"]: grade for grade in event["grades"]}
        for item in self._retrieved:
            grade = self._grades.get(item["chunk_id"])
            if grade is None:
                continue
            mark, colour = _MARK[grade["verdict"]]
            sure = "    " if grade["confidence"] is None else f"{grade['confidence']:.2f}"
            ranks = f"bm25 #{item['lexical_rank'] or '-'} dense #{item['dense_rank'] or '-'}"
            again = "" if item["new"] else " (seen before)"
            lines = item["start_line"], item["end_line"]
            where = place(item["source"], item["page"], *lines, item.get("anchor"))
            self._line("│  ", f"{mark} {sure} {where}{again}", colour)
            detail = f"score {item['score']:.2f} ({ranks})"
            self._line("│      ", f"{detail}: {grade['reason'] or 'no reason given'}", "dim")

    def _on_decided(self, event: DecidedEvent) -> None:
        self._line("│  ", f"→ {DECISIONS[event['decision']]}: {event['reason']}", "magenta")

    def _on_rewritten(self, event: RewrittenEvent) -> None:
        found = event["query"] or "no better query"
        self._line("│  ", f"↻ {found} — {event['reason']}", "yellow")

    def _on_refined(self, event: RefinedEvent) -> None:
        before, after = event["chars_before"], event["chars_after"]
        share = f" ({after / before:.0%})" if before else ""
        self._line("├─ ", f"refined to {after} of {before} characters{share}", "dim")

    def _on_draft_rejected(self, event: DraftRejectedEvent) -> None:
        self._line("├─ ", "draft withdrawn", "red")
        for claim in event["unsupported"]:
            self._line("│    ", f"contradicted: {claim}", "dim")

    def _on_failed(self, event: FailedEvent) -> None:
        where = f" in {event['node']}" if event["node"] else ""
        self._line("├─ ", f"failed{where} ({event['error']})", "bold red")

    def _on_answer(self, event: AnswerEvent) -> None:
        answer = event["answer"]
        for claim in answer["claims"]:
            if claim["verdict"] != "verified":
                said = f"{claim['verdict']}: {claim['text']} ({claim['reason']})"
                self._line("├─ ", said, "yellow" if claim["verdict"] == "unverified" else "red")
        usage = answer["usage"]
        total = answer["timings_ms"]["total"]
        nodes = ((ms, name) for name, ms in answer["timings_ms"].items() if name != "total")
        long = sorted((node for node in nodes if node[0] >= total * WORTH_SAYING), reverse=True)
        where = ", ".join(f"{name} {ms:.0f}" for ms, name in long) or "in no node"
        self._line("└─ ", f"{answer['status']} in {total:.0f} ms ({where})", "bold")
        cost = "" if not usage["cost_usd"] else f", {dollars(usage['cost_usd'])}"
        calls = many(usage["llm_calls"], "call")
        tokens = f"{usage['input_tokens']} tokens in, {usage['output_tokens']} out"
        self._line("   ", f"{calls}, {tokens}{cost}; trace {answer['trace_id']}", "dim")

    def _line(self, lead: str, text: Any, style: str) -> None:
        from rich.text import Text

        line = Text(lead, style="dim").append(" ".join(clean(str(text)).split()), style)
        for row in rows(line, self._console, len(lead)) if self._console.is_terminal else [line]:
            self._console.print(row, soft_wrap=True)


def trace_line(row: TraceSummary) -> str:
    """Id, time, status, thread and how the question begins."""
    when = datetime.fromtimestamp(row["created_at"], UTC).astimezone()
    question = shorten(row["question"], 80)
    kind = "research: " if row["kind"] == "research" else ""
    thread = f" [{row['thread']}]" if row["thread"] else ""
    return f"{row['trace_id']}  {when:%Y-%m-%d %H:%M}  {row['status']:9}  {kind}{question}{thread}"
