"""An answer's trace as HTML: the path taken, the loops side by side, the sentences that
counted marked in their chunks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from rag.citations.left_out import left_out
from rag.pages.pieces import badge, costs, sources, where, with_links
from rag.topology import CORRECTIVE
from rag.tracing.graph_svg import path_svg
from rag.tracing.stored_trace import DECISIONS, TracedLoop, loops, path_taken
from state.events import RetrievedItem
from state.traces import Trace

Texts = Mapping[str, str]
"""Chunk texts by chunk_id, of those that are still in the collection."""


def turn_body(trace: Trace, texts: Texts) -> str:
    answer = trace["answer"]
    parts = [
        heading(trace, f"{answer['loop_count']} of {answer['max_loops']} loops"),
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
        loops_section(trace, texts),
        "<h2>Time and tokens</h2>",
        costs(answer["timings_ms"], answer["usage"]),
    ]
    return "\n".join(parts)


def loops_section(trace: Trace, texts: Texts) -> str:
    """The loops of one question, side by side."""
    articles = "\n".join(_loop(loop, trace, texts) for loop in loops(trace))
    return f"<section class=loops>{articles}</section>"


def _loop(loop: TracedLoop, trace: Trace, texts: Texts) -> str:
    kept = _kept(trace)
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
    place = where(item["page"], item["start_line"], item["end_line"])
    return (
        f"<details><summary><span class='badge {verdict}'>{verdict}{sure}</span> "
        f"<b>{escape(item['source'])}</b> {place}"
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


def heading(trace: Trace, count: str) -> str:
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
