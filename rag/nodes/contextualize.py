"""contextualize: makes a follow-up a question that stands alone, before retrieval. Small talk is
answered here.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.engines.protocol import Contextualized
from rag.nodes.update import Update
from rag.question.small_talk import small_talk
from state.graph_state import GraphState


def contextualize(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    question, earlier = state["question"], state["timeline"]
    reply = small_talk(question)
    if reply is None and all(small_talk(turn["question"]) for turn in earlier):
        return {"standalone_question": question, "queries": [question]}
    made = Contextualized(question, "nothing to look up")
    if reply is None:
        made = runtime.context.engine.contextualize(question, earlier)
    runtime.stream_writer(
        {
            "event": "contextualized",
            "standalone_question": made.question,
            "reason": made.reason,
            "history": earlier,
        }
    )
    alone: Update = {"standalone_question": made.question, "queries": [made.question]}
    if reply is not None:
        return {**alone, "generation": reply, "status": "answered"}
    return {**alone, "warnings": [*state["warnings"], *made.warnings]}
