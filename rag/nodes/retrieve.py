"""retrieve: searches for one query, its spelling mended, and keeps what earlier loops found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from langgraph.runtime import Runtime

from rag.context import MAX_CHUNKS, interleave
from rag.dependencies import Dependencies
from rag.nodes.update import Update, joined_queries
from rag.question.parts import POOL, read_parts
from state.choices import GraderChoice
from state.graph_state import GraphState
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from state.events import RetrievedEvent


def retrieve(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    runtime.context.reranker.prepare(state["query"])
    reader, k = runtime.context.reader, _wanted(runtime.context)
    hits = reader.search(state["query"], max(POOL, k))
    if state["second_query"] is not None:
        hits = interleave([hits, reader.search(state["second_query"], max(POOL, k))])
    if state["parts"]:
        return retrieval_update(state, hits[:k], runtime.stream_writer, reader.dense_searched)
    parts = read_parts(state["query"], reader, hits)
    query = state["query"]
    if len(parts) > 1:
        hits = interleave([hits, *(part["pool"] for part in parts)])
    elif parts[0]["question"]["changes"]:
        query = parts[0]["question"]["text"]
        hits = [*parts[0]["pool"]] if k <= POOL else reader.search(query, k)
    asked = cast("GraphState", {**state, "query": query})
    found = retrieval_update(asked, hits[:k], runtime.stream_writer, reader.dense_searched)
    return {**found, "query": query, "parts": parts}


def _wanted(deps: Dependencies) -> int:
    """How many chunks to retrieve: `k`, but MAX_CHUNKS where a model reads them and neither grades
    them itself nor was given a `k`.
    """
    settings = deps.settings
    reads = deps.engine.model is not None and settings.grader is not GraderChoice.MODEL
    return MAX_CHUNKS if reads and "k" not in settings.model_fields_set else settings.k


def retrieval_update(
    state: GraphState,
    hits: Sequence[RetrievedChunk],
    write: Callable[[Any], None],
    dense: str | None = None,
) -> Update:
    """The update after a query found `hits`, told to the stream. `dense` names the dense index."""
    seen = {document["chunk_id"] for document in state["documents"]}
    new = [hit for hit in hits if hit["chunk_id"] not in seen]
    event = _event(state, hits, seen)
    if dense is not None:
        event["dense"] = dense
    write(event)
    return {
        "documents": [*state["documents"], *({**hit, "loop": state["loop_count"]} for hit in new)],
        "new_documents": [hit["chunk_id"] for hit in new],
        "retrieval_scores": {hit["chunk_id"]: hit["score"] for hit in hits},
    }


def _event(state: GraphState, hits: Sequence[RetrievedChunk], seen: set[str]) -> RetrievedEvent:
    return {
        "event": "retrieved",
        "loop": state["loop_count"],
        "query": joined_queries(state["query"], state["second_query"]),
        "chunks": [
            {
                "chunk_id": hit["chunk_id"],
                "source": hit["source"],
                "start_line": hit["start_line"],
                "end_line": hit["end_line"],
                "start_char": hit["start_char"],
                "end_char": hit["end_char"],
                "page": hit["page"],
                "anchor": hit.get("anchor"),
                "score": hit["score"],
                "dense_rank": hit["dense_rank"],
                "lexical_rank": hit["lexical_rank"],
                "new": hit["chunk_id"] not in seen,
            }
            for hit in hits
        ],
    }
