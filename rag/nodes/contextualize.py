"""contextualize: a follow-up becomes a question that stands alone, before retrieval."""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.nodes.update import Update
from state.graph_state import GraphState
from state.usage import add_usage


def contextualize(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    question = state["question"]
    if not state["history"]:
        return {"standalone_question": question, "query": question}
    result = runtime.context.engine.contextualize(question, state["history"])
    runtime.stream_writer(
        {
            "event": "contextualized",
            "standalone_question": result.question,
            "reason": result.reason,
            "history": state["history"],
        }
    )
    return {
        "standalone_question": result.question,
        "query": result.question,
        "usage": add_usage(state["usage"], "contextualize", result.usage),
        "warnings": [*state["warnings"], *result.warnings],
    }
