"""contextualize: makes a follow-up a question that stands alone, before retrieval. Small talk is
answered here.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.nodes.update import Update
from rag.question.small_talk import small_talk
from state.graph_state import GraphState


def contextualize(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    question, earlier = state["question"], state["timeline"]
    alone: Update = {"standalone_question": question, "queries": [question]}
    if (reply := small_talk(question)) is not None:
        _emit(state, runtime, question, "nothing to look up")
        return {**alone, "generation": reply, "status": "answered"}
    if all(small_talk(turn["question"]) for turn in earlier):
        return alone
    result = runtime.context.engine.contextualize(question, earlier)
    _emit(state, runtime, result.question, result.reason)
    return {
        "standalone_question": result.question,
        "queries": [result.question],
        "warnings": [*state["warnings"], *result.warnings],
    }


def _emit(
    state: GraphState, runtime: Runtime[Dependencies], question: str, reason: str | None
) -> None:
    runtime.stream_writer(
        {
            "event": "contextualized",
            "standalone_question": question,
            "reason": reason,
            "history": state["timeline"],
        }
    )
