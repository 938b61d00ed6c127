"""search_web: searches the web where the documents hold no answer and the person allowed it."""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.nodes.retrieve import retrieval_update
from rag.nodes.update import Update
from state.graph_state import GraphState


def search_web(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    assert deps.search_web is not None, "the router asks for it only where there is one"
    query = state["standalone_question"]
    hits = deps.search_web(query, deps.settings.k)
    return {**retrieval_update(state, [query], hits, runtime.stream_writer), "web": "searched"}
