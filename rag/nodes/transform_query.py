"""transform_query: asks the engine for a better query, and ends the loop where there is none.

The only place where `loop_count` goes up.
"""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.engines.protocol import RewriteRequest, same_query
from rag.nodes.update import Update, joined_queries
from rag.routes import decide
from state.answer import LoopRecord
from state.graph_state import GraphState


def transform_query(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    tried = [state["standalone_question"], *state["query_rewrites"]]
    request = RewriteRequest(
        question=state["standalone_question"],
        parts=state["parts"],
        tried=tried,
        documents=state["documents"],
        grades=state["grades"],
        missing=state["gaps"],
    )
    result = runtime.context.engine.rewrite(request)
    query, reason = result.query, result.reason
    if query is not None and any(same_query(query, earlier) for earlier in tried):
        query, reason = None, "the rewrite repeats a query"
    runtime.stream_writer(
        {
            "event": "rewritten",
            "loop": state["loop_count"],
            "query": query and joined_queries(query, result.second),
            "reason": reason,
        }
    )
    warnings = [*state["warnings"], *result.warnings]
    if query is None:
        ended: Update = {"warnings": warnings, "no_query": reason}
        return {**ended, "loops": _ended(cast("GraphState", {**state, **ended}), runtime)}
    return {
        "warnings": warnings,
        "query": query,
        "second_query": result.second,
        "query_rewrites": [*state["query_rewrites"], *filter(None, (query, result.second))],
        "loop_count": state["loop_count"] + 1,
    }


def _ended(state: GraphState, runtime: Runtime[Dependencies]) -> list[LoopRecord]:
    """The loops, the last with the decision that follows from there being no better query."""
    *earlier, last = state["loops"]
    decision, reason = decide(state)
    runtime.stream_writer(
        {"event": "decided", "loop": last["loop"], "decision": decision, "reason": reason}
    )
    return [*earlier, {**last, "decision": decision, "reason": reason}]
