"""retrieve: searches for the queries, spelt and dated as the collection does, and keeps what
earlier loops found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langgraph.runtime import Runtime

from rag.context import MAX_CHUNKS, interleave
from rag.dependencies import Dependencies
from rag.nodes.update import BETWEEN_QUERIES, Update
from rag.question.parts import POOL, read_parts
from state.choices import GraderChoice
from state.events import RetrievedEvent, RetrievedItem
from state.graph_state import GraphState, picked
from state.passages import RetrievedChunk


def retrieve(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    queries, write = state["queries"], runtime.stream_writer
    runtime.context.reranker.prepare()
    reader, k = runtime.context.reader, _wanted(runtime.context)
    hits = interleave([reader.search(query, max(POOL, k)) for query in queries])
    parts = state["parts"]
    if not parts:
        parts = read_parts(queries[0], reader, hits)
        if len(parts) > 1:
            hits = interleave([hits, *(part["pool"] for part in parts)])
        elif (read := parts[0]["question"]["text"]) != queries[0]:
            queries = [read]
            hits = [*parts[0]["pool"]] if k <= POOL else reader.search(queries[0], k)
    found = retrieval_update(state, queries, hits[:k], write, reader.dense_searched)
    return {**found, "parts": parts}


def _wanted(deps: Dependencies) -> int:
    """How many chunks to retrieve: `k`, but MAX_CHUNKS where a model reads them and neither grades
    them itself nor was given a `k`.
    """
    settings = deps.settings
    reads = deps.engine.model is not None and settings.grader is not GraderChoice.MODEL
    return MAX_CHUNKS if reads and "k" not in settings.model_fields_set else settings.k


def retrieval_update(
    state: GraphState,
    queries: list[str],
    hits: Sequence[RetrievedChunk],
    write: Callable[[Any], None],
    dense: str | None = None,
) -> Update:
    """The update after queries found `hits`, told to the stream. `dense` names the dense index."""
    seen = {document["chunk_id"] for document in state["documents"]}
    new = [hit for hit in hits if hit["chunk_id"] not in seen]
    items = ({**hit, "new": hit["chunk_id"] not in seen} for hit in hits)
    event: RetrievedEvent = {
        "event": "retrieved",
        "loop": state["loop_count"],
        "query": BETWEEN_QUERIES.join(queries),
        "chunks": [picked(RetrievedItem, item) for item in items],
    }
    if dense is not None:
        event["dense"] = dense
    write(event)
    return {
        "queries": queries,
        "documents": [*state["documents"], *({**hit, "loop": state["loop_count"]} for hit in new)],
        "new_documents": [hit["chunk_id"] for hit in new],
        "retrieval_scores": {hit["chunk_id"]: hit["score"] for hit in hits},
    }
