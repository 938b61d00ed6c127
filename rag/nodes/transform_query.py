"""transform_query: asks the engine for a better query, and ends the loop where there is none.

The only place where `loop_count` goes up.
"""

from __future__ import annotations

from typing import cast

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.nodes.update import BETWEEN_QUERIES, Update
from rag.routes import decide
from state.answer import LoopRecord
from state.graph_state import GraphState


def transform_query(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    result = runtime.context.engine.rewrite(state)
    runtime.stream_writer(
        {
            "event": "rewritten",
            "loop": state["loop_count"],
            "query": BETWEEN_QUERIES.join(result.queries) or None,
            "reason": result.reason,
        }
    )
    warnings = [*state["warnings"], *result.warnings]
    if not result.queries:
        ended: Update = {"warnings": warnings, "no_query": result.reason}
        return {**ended, "loops": _ended(cast("GraphState", {**state, **ended}), runtime)}
    return {
        "warnings": warnings,
        "queries": list(result.queries),
        "query_rewrites": [*state["query_rewrites"], *result.queries],
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
