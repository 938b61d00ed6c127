"""contextualize: a follow-up becomes a question that stands alone, before retrieval."""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.budget import BudgetSpent
from rag.dependencies import Dependencies
from rag.nodes.update import Update
from state.graph_state import GraphState


def contextualize(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    question, earlier = state["question"], state["timeline"]
    if not earlier:
        return {"standalone_question": question, "query": question}
    spent = state["budget_spent"]
    try:
        result = runtime.context.engine.contextualize(question, earlier)
    except BudgetSpent as ended:
        if runtime.context.fallback is None:
            raise
        spent, result = str(ended), runtime.context.fallback.contextualize(question, earlier)
    runtime.stream_writer(
        {
            "event": "contextualized",
            "standalone_question": result.question,
            "reason": result.reason,
            "history": earlier,
        }
    )
    return {
        "standalone_question": result.question,
        "query": result.question,
        "budget_spent": spent,
        "warnings": [*state["warnings"], *result.warnings],
    }
