"""A trace as one self-contained page. Everything in it is escaped; it loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from rag.citations.left_out import left_out
from rag.pages.page_frame import page
from rag.pages.pieces import badge, costs, markdown, sources, table, with_links
from rag.topology import CORRECTIVE, RESEARCH
from rag.tracing.graph_svg import path_svg
from rag.tracing.stored_trace import (
    DECISIONS,
    Round,
    TracedLoop,
    TracedSubtask,
    began,
    loops,
    node_times,
    path_taken,
    rounds,
)
from state.counting import many
from state.errors import CragError
from state.events import RetrievedItem
from state.shared_place import open_traces
from state.traces import Trace
from state.written_place import written_place

if TYPE_CHECKING:
    from state.settings import Settings

Texts = Mapping[str, str]
"""Chunk texts by chunk_id, of those that are still in the collection."""


def trace_page(trace: Trace, settings: Settings) -> str:
    """The page; a chunk that has left the collection is shown without its text.

    Raises:
        CragError: the trace store cannot be read.
    """
    collection, title = began(trace)["collection"], f"crag trace {trace['trace_id']}"
    if trace["kind"] != "research":
        return page(title, _turn_body(trace, _texts([trace], collection, settings)))
    with open_traces(settings) as traces:
        asked = {t["trace_id"]: t for t in traces.every("answer", trace["trace_id"])}
    return page(title, _research_body(trace, asked, _texts(asked.values(), collection, settings)))


def _texts(traces: Iterable[Trace], collection: str, settings: Settings) -> dict[str, str]:
    """What the collection still holds of the traces' chunks, by chunk_id."""
    from rag.opening import open_reader

    texts: dict[str, str] = {}
    items = [item for trace in traces for loop in loops(trace) for item in loop.chunks]
    asked = settings.model_copy(update={"collection": collection})
    with suppress(CragError), open_reader(asked) as reader:
        text_of = cache(reader.document_text)
        for item in items:
            if (whole := text_of(item["source"])) is not None:
                texts[item["chunk_id"]] = whole[item["start_char"] : item["end_char"]]
    return texts


def _turn_body(trace: Trace, texts: Texts) -> str:
    answer = trace["answer"]
    parts = [
        _heading(trace, f"{answer['loop_count']} of {answer['max_loops']} loops"),
        f"<section class=card>{badge(answer['status'])}{_failure(trace)}",
        f"<p class=said>{with_links(answer['answer'])}</p>{sources(answer['citations'])}",
        *(
            f"<p class=gone>{escape(line)}</p>"
            for line in left_out(answer["dropped"], answer["claims"])
        ),
        *(f"<p class=gone>warning: {escape(line)}</p>" for line in answer["warnings"]),
        "</section>",
        "<h2>Path</h2>",
        path_svg(CORRECTIVE, path_taken(trace), answer["timings_ms"]),
        "<h2>Loops</h2>",
        _loops_section(trace, texts),
        "<h2>Time and tokens</h2>",
        costs(answer["timings_ms"], answer["usage"]),
    ]
    return "\n".join(parts)


def _loops_section(trace: Trace, texts: Texts) -> str:
    """The loops of one question, side by side."""
    kept = _kept(trace)
    articles = "\n".join(_loop(loop, kept, texts) for loop in loops(trace))
    return f"<section class=loops>{articles}</section>"


def _loop(loop: TracedLoop, kept: Mapping[str, list[tuple[int, int]]], texts: Texts) -> str:
    chunks = "\n".join(
        _chunk(item, loop, texts.get(item["chunk_id"]), kept.get(item["chunk_id"], []))
        for item in loop.chunks
    )
    rewrite = f"<br>↻ {escape(loop.rewrite)}" if loop.rewrite else ""
    decision = DECISIONS.get(loop.decision, loop.decision)
    return (
        f"<article><h3>Loop {loop.number}</h3><p class=query>{escape(loop.query)}</p>"
        f"<p class=gone>{len(loop.chunks)} chunks, {loop.new} new, "
        f"{loop.newly_relevant} newly relevant</p>{chunks}"
        f"<p class=decision><b>→ {escape(decision)}</b>: {escape(loop.reason)}{rewrite}</p>"
        "</article>"
    )


def _chunk(
    item: RetrievedItem, loop: TracedLoop, text: str | None, spans: list[tuple[int, int]]
) -> str:
    grade = loop.grades.get(item["chunk_id"])
    verdict = grade["verdict"] if grade else "ungraded"
    sure = f" {grade['confidence']:.2f}" if grade and grade["confidence"] is not None else ""
    reason = grade["reason"] or "" if grade else ""
    shown = (
        "<p class=gone>no longer in the collection</p>"
        if text is None
        else f"<pre>{''.join(_marked(text, item['start_char'], spans))}</pre>"
    )
    again = "" if item["new"] else ", seen before"
    ranks = f"bm25 #{item['lexical_rank'] or '–'}, dense #{item['dense_rank'] or '–'}{again}"
    place = written_place(item["source"], item["page"], item["start_line"], item["end_line"])
    return (
        f"<details><summary><span class='badge {verdict}'>{verdict}{sure}</span> "
        f"<b>{escape(place)}</b>"
        f"<small>{escape(reason)} · score {item['score']:.2f} ({ranks})</small>"
        f"</summary>{shown}</details>"
    )


def _marked(text: str, start: int, spans: list[tuple[int, int]]) -> Iterator[str]:
    at = 0
    for first, last in sorted(spans):
        begin, end = max(first - start, at), min(last - start, len(text))
        if begin >= end:
            continue
        yield escape(text[at:begin])
        yield f"<mark>{escape(text[begin:end])}</mark>"
        at = end
    yield escape(text[at:])


def _kept(trace: Trace) -> dict[str, list[tuple[int, int]]]:
    for event in trace["events"]:
        if event["event"] == "refined":
            return {kept["chunk_id"]: list(kept["spans"]) for kept in event["passages"]}
    return {}


def _failure(trace: Trace) -> str:
    last = trace["events"][-1]
    if last["event"] != "failed":
        return ""
    return f" in {escape(last['node'] or 'no node')}<p class=said>{escape(last['message'])}</p>"


def _heading(trace: Trace, count: str) -> str:
    """What was asked, and how; `count` says in how many loops or rounds."""
    answer = trace["answer"]
    what = "research run" if trace["kind"] == "research" else "trace"
    engine = " ".join(filter(None, (answer["engine"]["name"], answer["engine"]["model"])))
    facts = [f"{what} {trace['trace_id']}", f"engine {engine}", count]
    if answer["turn"] and answer["thread"]:
        facts.append(f"thread {answer['thread']} turn {answer['turn']}")
    if answer["standalone_question"] != answer["question"]:
        facts.append(f"understood as “{answer['standalone_question']}”")
    return f"<h1>{escape(answer['question'])}</h1>\n<p class=meta>{escape(', '.join(facts))}</p>"


def _research_body(trace: Trace, asked: Mapping[str, Trace], texts: Texts) -> str:
    """`asked` are the traces of the run's own questions that are still kept, by id."""
    answer = trace["answer"]
    times: dict[str, float] = {}
    for name, ms in node_times(trace):
        times[name] = times.get(name, 0.0) + ms
    report = answer["answer"].split("\n## Sources\n")[0].split("\n", 1)
    parts = [
        _heading(trace, many(len(rounds(trace)), "round")),
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
        f"<p>{escape(answer['answer'])}</p>{_loops_section(trace, texts)}</details>"
    )
