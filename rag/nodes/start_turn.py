"""start_turn: resets every field of a question. The timeline stays as the checkpoint has it, unless
the record of turns differs: in turns that the checkpoint lacks, in pins, in the budget.
"""

from __future__ import annotations

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from rag.dependencies import Dependencies
from rag.nodes.update import Update
from state.answer import NO_USAGE
from state.graph_state import GraphState, new_question


def start_turn(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    kept = state.get("timeline", [])
    shown = kept if deps.history is None else list(deps.history(kept))
    told = {} if shown == kept else {"timeline": Overwrite(shown)}
    return {
        **told,
        **new_question(state["question"], deps.settings.max_loops),
        "complete": True,
        "usage": NO_USAGE,
        "web": "allowed" if deps.search_web is not None else None,
    }
