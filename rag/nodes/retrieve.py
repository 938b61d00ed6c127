"""retrieve: the chunks of one query; what earlier loops found is kept."""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.nodes.update import Update
from state.graph_state import GraphState


def retrieve(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    hits = deps.reader.search(state["query"], deps.settings.k)
    seen = {document["chunk_id"] for document in state["documents"]}
    new = [hit for hit in hits if hit["chunk_id"] not in seen]
    runtime.stream_writer(
        {
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
    )
    return {
        "documents": [
            *state["documents"],
            *({**hit, "loop": state["loop_count"]} for hit in new),
        ],
        "new_documents": [hit["chunk_id"] for hit in new],
        "retrieval_scores": {hit["chunk_id"]: hit["score"] for hit in hits},
    }
