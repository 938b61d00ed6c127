"""The live tree of a run on stderr: queries, chunks, grades, decisions, time and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli.render.places import place
from cli.terminal import clean

if TYPE_CHECKING:
    from rich.console import Console

    from state.answer import Answer
    from state.events import Event, RetrievedItem
    from state.grades import Grade

_MARK = {"correct": ("✓", "green"), "ambiguous": ("?", "yellow"), "incorrect": ("✗", "red")}
_WORD = {
    "generate": "answer",
    "transform_query": "rewrite the query",
    "abstain": "abstain",
}


class TraceView:
    """Prints each event as it comes; `console` is one on stderr."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._retrieved: list[RetrievedItem] = []
        self._grades: dict[str, Grade] = {}

    def show(self, event: Event) -> None:
        match event["event"]:
            case "turn_started":
                model = f" ({event['model']})" if event["model"] else ""
                self._line("", f"● {event['question']}", "bold")
                self._line("│ ", f"engine {event['engine']}{model}, {event['collection']}", "dim")
            case "contextualized":
                self._line("├─ ", f"stands alone as: {event['standalone_question']}", "cyan")
                if event["reason"]:
                    self._line("│    ", event["reason"], "dim")
            case "retrieved":
                self._retrieved = event["chunks"]
                new = sum(item["new"] for item in event["chunks"])
                self._line("├─ ", f"loop {event['loop']}: {event['query']}", "bold cyan")
                self._line("│  ", f"retrieved {len(event['chunks'])} chunks, {new} new", "dim")
            case "graded":
                self._grades |= {grade["chunk_id"]: grade for grade in event["grades"]}
                self._chunks()
            case "decided":
                self._line("│  ", f"→ {_WORD[event['decision']]}: {event['reason']}", "magenta")
            case "rewritten":
                found = event["query"] or "no better query"
                self._line("│  ", f"↻ {found} — {event['reason']}", "yellow")
            case "refined":
                before, after = event["chars_before"], event["chars_after"]
                share = f"{after / before:.0%}" if before else "0%"
                self._line("├─ ", f"refined to {after} of {before} characters ({share})", "dim")
            case "draft_rejected":
                self._line("├─ ", "draft withdrawn", "red")
                for claim in event["unsupported"]:
                    self._line("│    ", f"unsupported: {claim}", "dim")
            case "warning":
                self._line("├─ ", event["text"], "yellow")
            case "answer":
                self._end(event["answer"])
            case _:
                pass

    def _chunks(self) -> None:
        for item in self._retrieved:
            grade = self._grades.get(item["chunk_id"])
            if grade is None:
                continue
            mark, colour = _MARK[grade["verdict"]]
            sure = "    " if grade["confidence"] is None else f"{grade['confidence']:.2f}"
            ranks = f"bm25 #{item['lexical_rank'] or '–'} dense #{item['dense_rank'] or '–'}"
            again = "" if item["new"] else " (seen before)"
            where = place(item["source"], item["page"], item["start_line"], item["end_line"])
            self._line("│  ", f"{mark} {sure} {where}{again}", colour)
            detail = f"score {item['score']:.2f} ({ranks})"
            self._line("│      ", f"{detail}: {grade['reason'] or 'no reason given'}", "dim")

    def _end(self, answer: Answer) -> None:
        usage = answer["usage"]
        spent = f"{answer['timings_ms']['total']:.0f} ms"
        nodes = ", ".join(
            f"{name} {ms:.0f}" for name, ms in answer["timings_ms"].items() if name != "total"
        )
        self._line("└─ ", f"{answer['status']} in {spent} ({nodes})", "bold")
        cost = "" if not usage["cost_usd"] else f", ${usage['cost_usd']:.4f}"
        calls = "1 call" if usage["llm_calls"] == 1 else f"{usage['llm_calls']} calls"
        tokens = f"{usage['input_tokens']} tokens in, {usage['output_tokens']} out"
        self._line("   ", f"{calls}, {tokens}{cost}; trace {answer['trace_id']}", "dim")

    def _line(self, lead: str, text: Any, style: str) -> None:
        from rich.text import Text

        line = Text(lead, style="dim")
        line.append(" ".join(clean(str(text)).split()), style=style)
        self._console.print(line, soft_wrap=True)
