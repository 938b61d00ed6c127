"""start_turn: every per-question field is new; nothing else is touched."""

from __future__ import annotations

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.nodes.update import Update
from state.graph_state import GraphState, new_question


def start_turn(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    return {
        **new_question(state["question"], deps.settings.max_loops),
        "history": list(deps.history()),
        "complete": True,
    }
