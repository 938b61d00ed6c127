"""retrieve: the chunks of one query; what earlier loops found is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.nodes.update import Update
from state.events import RetrievedEvent
from state.graph_state import GraphState
from state.passages import RetrievedChunk


def retrieve(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    hits = deps.reader.search(state["query"], deps.settings.k)
    return found_update(state, hits, runtime.stream_writer)


def found_update(
    state: GraphState, hits: Sequence[RetrievedChunk], write: Callable[[Any], None]
) -> Update:
    """The state after a query found `hits`; also tells the stream."""
    seen = {document["chunk_id"] for document in state["documents"]}
    new = [hit for hit in hits if hit["chunk_id"] not in seen]
    write(_event(state, hits, seen))
    return {
        "documents": [
            *state["documents"],
            *({**hit, "loop": state["loop_count"]} for hit in new),
        ],
        "new_documents": [hit["chunk_id"] for hit in new],
        "retrieval_scores": {hit["chunk_id"]: hit["score"] for hit in hits},
    }


def _event(state: GraphState, hits: Sequence[RetrievedChunk], seen: set[str]) -> RetrievedEvent:
    return {
        "event": "retrieved",
        "loop": state["loop_count"],
        "query": state["query"],
        "chunks": [
            {
                "chunk_id": hit["chunk_id"],
                "source": hit["source"],
                "start_line": hit["start_line"],
                "end_line": hit["end_line"],
                "start_char": hit["start_char"],
                "end_char": hit["end_char"],
                "page": hit["page"],
                "score": hit["score"],
                "dense_rank": hit["dense_rank"],
                "lexical_rank": hit["lexical_rank"],
                "new": hit["chunk_id"] not in seen,
            }
            for hit in hits
        ],
    }
