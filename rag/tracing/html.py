"""A trace as one self-contained page: the path taken, the loops side by side, the sentences
that counted marked in their chunks. Everything in it is escaped; it loads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from rag.tracing.graph_svg import graph_svg
from rag.tracing.page import page
from rag.tracing.view import TracedLoop, loops, path_taken, refined, started
from state.errors import CragError, storage_error
from state.events import RetrievedItem
from state.traces import Trace

if TYPE_CHECKING:
    from state.settings import Settings

Texts = Mapping[str, str]
"""Chunk texts by chunk_id, of those that are still in the collection."""


def write_page(trace: Trace, file: Path, settings: Settings) -> None:
    """Write the page; a chunk that has left the collection is shown without its text.

    Raises:
        StorageError: the file cannot be written.

    """
    text = trace_page(trace, chunk_texts(trace, settings))
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        mapped = storage_error(error)
        if mapped is None:
            raise
        raise mapped from None


def chunk_texts(trace: Trace, settings: Settings) -> dict[str, str]:
    """What the collection still holds of the trace's chunks."""
    from rag.opening import open_reader

    texts: dict[str, str] = {}
    collection = started(trace)["collection"]
    try:
        with open_reader(settings.model_copy(update={"collection": collection})) as reader:
            documents: dict[str, str | None] = {}
            for item in _items(trace):
                source = item["source"]
                if source not in documents:
                    documents[source] = reader.document_text(source)
                whole = documents[source]
                if whole is not None:
                    texts[item["chunk_id"]] = whole[item["start_char"] : item["end_char"]]
    except CragError:
        return texts
    return texts


def trace_page(trace: Trace, texts: Texts) -> str:
    answer = trace["answer"]
    body = [
        f"<h1>{escape(answer['question'])}</h1>",
        f"<p class=meta>{escape(_meta(trace))}</p>",
        f"<section class=answer><p class='status {answer['status']}'>{answer['status']}</p>",
        f"<p>{escape(answer['answer'])}</p>",
        "<ol>",
        *(
            f"<li><b>{escape(c['source'])}</b> {_lines(c['start_line'], c['end_line'])} "
            f"<i>{c['support']}</i><blockquote>{escape(c['quote'])}</blockquote></li>"
            for c in answer["citations"]
        ),
        "</ol></section>",
        "<h2>Path</h2>",
        graph_svg(path_taken(trace), answer["timings_ms"]),
        "<h2>Loops</h2><section class=loops>",
        *(_loop(loop, trace, texts) for loop in loops(trace)),
        "</section>",
        "<h2>Time and tokens</h2>",
        _costs(trace),
    ]
    return page(f"crag trace {trace['trace_id']}", "\n".join(body))


def _loop(loop: TracedLoop, trace: Trace, texts: Texts) -> str:
    kept = _kept(trace)
    chunks = "\n".join(
        _chunk(item, loop, texts.get(item["chunk_id"]), kept.get(item["chunk_id"], []))
        for item in loop.chunks
    )
    rewrite = f"<p>Rewrite: {escape(loop.rewrite)}</p>" if loop.rewrite else ""
    return (
        f"<article><h3>Loop {loop.number}</h3><p class=query>{escape(loop.query)}</p>"
        f"<p>{len(loop.chunks)} chunks, {loop.new} new, {loop.newly_relevant} newly relevant</p>"
        f"{chunks}<p class=decision>{escape(loop.decision)}: {escape(loop.reason)}</p>"
        f"{rewrite}</article>"
    )


def _chunk(
    item: RetrievedItem, loop: TracedLoop, text: str | None, spans: list[tuple[int, int]]
) -> str:
    grade = loop.grades.get(item["chunk_id"])
    verdict = grade["verdict"] if grade else "ungraded"
    sure = f" {grade['confidence']:.2f}" if grade and grade["confidence"] is not None else ""
    reason = escape(grade["reason"] or "") if grade else ""
    shown = (
        "<p class=gone>no longer in the collection</p>"
        if text is None
        else f"<pre>{''.join(_marked(text, item['start_char'], spans))}</pre>"
    )
    where = f"{escape(item['source'])} {_lines(item['start_line'], item['end_line'])}"
    return (
        f"<details class={verdict}><summary>{verdict}{sure} · {where} · "
        f"score {item['score']:.3f}<br><small>{reason}</small></summary>{shown}</details>"
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
    event = refined(trace)
    if event is None:
        return {}
    return {kept["chunk_id"]: list(kept["spans"]) for kept in event["passages"]}


def _items(trace: Trace) -> Iterator[RetrievedItem]:
    for loop in loops(trace):
        yield from loop.chunks


def _meta(trace: Trace) -> str:
    answer = trace["answer"]
    engine = " ".join(filter(None, (answer["engine"]["name"], answer["engine"]["model"])))
    thread = f", thread {answer['thread']} turn {answer['turn']}" if answer["thread"] else ""
    return (
        f"trace {trace['trace_id']}, engine {engine}, {answer['loop_count']} of "
        f"{answer['max_loops']} loops{thread}"
    )


def _lines(start: int | None, end: int | None) -> str:
    return "" if start is None else f"lines {start}-{end}"


def _costs(trace: Trace) -> str:
    usage = trace["answer"]["usage"]["by_node"]
    rows: list[str] = []
    for node, ms in trace["answer"]["timings_ms"].items():
        spent = usage.get(node)
        cells = (
            (spent["llm_calls"], spent["input_tokens"], spent["output_tokens"])
            if spent
            else (0, 0, 0)
        )
        numbers = "".join(f"<td>{cell}" for cell in cells)
        rows.append(f"<tr><td>{escape(node)}<td>{ms:.1f} ms{numbers}")
    head = "<tr><th>node<th>time<th>calls<th>tokens in<th>tokens out"
    return f"<table>{head}{''.join(rows)}</table>"
