"""check_answer: every claim is held against its source before anyone sees it.

Unsupported claims send the draft back once a question; after that they are dropped.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.citations import check
from rag.dependencies import Dependencies
from rag.nodes.update import Update
from state.graph_state import GraphState

MAX_RETRIES = 1


def check_answer(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    checked = check(state["generation"], state["passages"], runtime.context.reader)
    may_retry = (
        state["generation_retries"] < MAX_RETRIES
        and state["budget_spent"] is None
        and runtime.context.engine.model is not None
    )
    if checked.unsupported and may_retry:
        runtime.stream_writer({"event": "draft_rejected", "unsupported": list(checked.unsupported)})
        return {
            "generation_retries": state["generation_retries"] + 1,
            "scratchpad": list(checked.unsupported),
            "status": None,
        }
    if not checked.citations:
        return {"status": "abstained"}
    whole = state["complete"] and not checked.unsupported
    dropped = len(checked.unsupported)
    words = "1 sentence was" if dropped == 1 else f"{dropped} sentences were"
    return {
        "generation": checked.text,
        "citations": checked.citations,
        "status": "answered" if whole else "partial",
        "warnings": [
            *state["warnings"],
            *([f"{words} dropped: the sources do not support it."] if dropped else []),
        ],
    }
