"""A trace as one self-contained page. Everything in it is escaped; it loads nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rag.pages.page_frame import page
from rag.tracing.research_page import research_body
from rag.tracing.stored_trace import began, loops
from rag.tracing.turn_page import turn_body
from state.errors import CragError
from state.shared_place import open_traces
from state.traces import Trace

if TYPE_CHECKING:
    from state.settings import Settings


def trace_page(trace: Trace, settings: Settings) -> str:
    """The page; a chunk that has left the collection is shown without its text.

    Raises:
        CragError: the trace store cannot be read.
    """
    collection, title = began(trace)["collection"], f"crag trace {trace['trace_id']}"
    if trace["kind"] != "research":
        return page(title, turn_body(trace, _texts([trace], collection, settings)))
    with open_traces(settings) as traces:
        asked = {t["trace_id"]: t for t in traces.every("answer", trace["trace_id"])}
    return page(title, research_body(trace, asked, _texts(asked.values(), collection, settings)))


def _texts(traces: Iterable[Trace], collection: str, settings: Settings) -> dict[str, str]:
    """What the collection still holds of the traces' chunks, by chunk_id."""
    from rag.opening import open_reader

    texts: dict[str, str] = {}
    documents: dict[str, str | None] = {}
    items = [item for trace in traces for loop in loops(trace) for item in loop.chunks]
    try:
        with open_reader(settings.model_copy(update={"collection": collection})) as reader:
            for item in items:
                source = item["source"]
                if source not in documents:
                    documents[source] = reader.document_text(source)
                whole = documents[source]
                if whole is not None:
                    texts[item["chunk_id"]] = whole[item["start_char"] : item["end_char"]]
    except CragError:
        return texts
    return texts
