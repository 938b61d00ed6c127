"""transform_query: a better query, or the honest end of the loop when there is none.

The only place where `loop_count` goes up.
"""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.budget import BudgetSpent
from rag.dependencies import Dependencies
from rag.engines.protocol import RewriteRequest, Rewritten
from rag.nodes.update import Update
from rag.question.parts import QuestionPart
from state.answer import LoopRecord
from state.graph_state import GraphState
from state.usage import add_usage


def transform_query(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    tried = [record["query"] for record in state["loops"]]
    spent = state["budget_spent"]
    try:
        result = runtime.context.engine.rewrite(
            RewriteRequest(
                question=state["standalone_question"],
                parts=[QuestionPart.of_state(part) for part in state["parts"]],
                tried=tried,
                documents=state["documents"],
                grades=state["grades"],
                suggested=state["next_query"],
            )
        )
    except BudgetSpent as ended:
        spent = str(ended)
        result = Rewritten(query=None, reason=spent, usage=ended.usage)
    query = result.query
    if query is not None and _same(query, tried):
        query, reason = None, "the rewrite repeats a query"
    else:
        reason = result.reason
    runtime.stream_writer(
        {"event": "rewritten", "loop": state["loop_count"], "query": query, "reason": reason}
    )
    common: Update = {
        "next_query": None,
        "budget_spent": spent,
        "usage": add_usage(state["usage"], "transform_query", result.usage),
        "warnings": [*state["warnings"], *result.warnings],
    }
    if query is None:
        return {**common, **_end_of_loop(state, runtime, reason)}
    return {
        **common,
        "query": query,
        "query_rewrites": [*state["query_rewrites"], query],
        "loop_count": state["loop_count"] + 1,
    }


def _end_of_loop(state: GraphState, runtime: Runtime[Dependencies], reason: str) -> Update:
    last = state["loops"][-1]
    relevant = any(grade["relevant"] for grade in state["grades"].values())
    ended: LoopRecord = {
        **last,
        "decision": "generate" if relevant else "abstain",
        "reason": f"{last['reason']}; no better query: {reason}",
    }
    runtime.stream_writer(
        {
            "event": "decided",
            "loop": last["loop"],
            "decision": ended["decision"],
            "reason": ended["reason"],
        }
    )
    return {"loops": [*state["loops"][:-1], ended], "stop_reason": ended["reason"]}


def _same(query: str, tried: list[str]) -> bool:
    """Whether a query was searched already, whatever its case, spacing or punctuation."""

    def plain(text: str) -> list[str]:
        return "".join(c if c.isalnum() else " " for c in text.casefold()).split()

    return any(plain(query) == plain(earlier) for earlier in tried)
