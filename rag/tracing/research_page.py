"""A research run's trace as HTML: its report, its rounds, and the question of each searcher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from rag.pages.pieces import badge, costs, markdown, sources, table
from rag.topology import RESEARCH
from rag.tracing.flow import node_times
from rag.tracing.graph_svg import path_svg
from rag.tracing.stored_trace import Round, TracedSubtask, path_taken, rounds
from rag.tracing.turn_page import Texts, heading, loops_section
from state.counting import many
from state.traces import Trace


def research_body(trace: Trace, asked: Mapping[str, Trace], texts: Texts) -> str:
    """`asked` are the traces of the run's own questions that are still kept, by id."""
    answer = trace["answer"]
    times: dict[str, float] = {}
    for name, ms in node_times(trace):
        times[name] = times.get(name, 0.0) + ms
    report = answer["answer"].split("\n## Sources\n")[0].split("\n", 1)
    parts = [
        heading(trace, many(len(rounds(trace)), "round")),
        f"<section class=card>{badge(answer['status'])}",
        f"{markdown(report[-1])}{sources(answer['citations'])}</section>",
        "<h2>Path</h2>",
        path_svg(RESEARCH, path_taken(trace), times),
        *(part for number in rounds(trace) for part in _round(number, asked, texts)),
        "<h2>Time and tokens</h2>",
        costs({**answer["timings_ms"], **times}, answer["usage"]),
    ]
    return "\n".join(parts)


def _round(shown: Round, asked: Mapping[str, Trace], texts: Texts) -> Iterator[str]:
    yield f"<h2>Round {shown.number}</h2><section class=card>"
    longest = max([task.ms for task in shown.subtasks] + [0.001])
    yield table(
        ("role", "subtask", "outcome", "citations", "time", ""),
        [
            (
                escape(task.role),
                escape(task.instruction),
                badge(task.status),
                str(task.citations),
                f"{task.ms:,.0f} ms",
                task.ms / longest,
            )
            for task in shown.subtasks
        ],
        (3, 4),
    )
    for task in shown.subtasks:
        yield from _question(task, asked, texts)
    yield (
        f"<p class=decision><b>→ {escape(shown.decision or 'not reflected on')}</b>: "
        f"{escape(shown.reason)}</p></section>"
    )


def _question(task: TracedSubtask, asked: Mapping[str, Trace], texts: Texts) -> Iterator[str]:
    trace = asked.get(task.trace_id or "")
    if trace is None:
        return
    answer = trace["answer"]
    yield (
        f"<details><summary>{badge(answer['status'])} <b>{escape(answer['question'])}</b>"
        f"<small>trace {escape(trace['trace_id'])}, {answer['loop_count']} of "
        f"{answer['max_loops']} loops</small></summary>"
        f"<p>{escape(answer['answer'])}</p>{loops_section(trace, texts)}</details>"
    )
