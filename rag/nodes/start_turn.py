"""start_turn: every per-question field is new; nothing else is touched."""

from __future__ import annotations

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from rag.dependencies import Dependencies
from rag.nodes.update import Update
from state.graph_state import GraphState, new_question
from state.usage import NO_USAGE


def start_turn(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    return {
        **_timeline_mended(state, deps),
        **new_question(state["question"], deps.settings.max_loops),
        "history": list(deps.history()),
        "complete": True,
        "usage": NO_USAGE,
        "web": "allowed" if deps.search_web is not None else None,
    }


def _timeline_mended(state: GraphState, deps: Dependencies) -> Update:
    """The timeline channel as the finished turns have it.

    It lags where a process died between a turn's end and its checkpoint, where two asked
    on one thread at once, and where turns were pinned, pruned or deleted since.
    """
    if deps.timeline is None:
        return {}
    kept = deps.timeline()
    if kept == state.get("timeline", []):
        return {}
    return {"timeline": Overwrite(kept), "turn": kept[-1]["turn"] if kept else 0}
