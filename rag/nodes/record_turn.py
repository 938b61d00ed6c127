"""record_turn: keeps the question and the answer exactly as shown, and no scratch work."""

from __future__ import annotations

import time

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies, new_answer
from rag.nodes.update import Update
from state.answer import Answer
from state.graph_state import GraphState
from state.passages import to_history_turn


def record_turn(state: GraphState, runtime: Runtime[Dependencies]) -> Update:
    deps = runtime.context
    answer = _answer(state, deps)
    turn = answer["turn"] = deps.record(answer)
    runtime.stream_writer({"event": "answer", "answer": answer})
    return {"timeline": [to_history_turn(answer, turn, milestone=deps.pin)], "scratchpad": []}


def _answer(state: GraphState, deps: Dependencies) -> Answer:
    """The answer; what the state has under the same name is taken from there."""
    status = state["status"] or "partial"  # an answer that stands, since nothing more was found
    warnings = list(dict.fromkeys(state["warnings"]))
    if state["ended_early"] is not None:
        warnings.append(state["ended_early"])
    total = round((time.perf_counter() - deps.started) * 1000, 3)
    told = {
        **state,
        "status": status,
        "answer": state["generation"],
        "timings_ms": {"total": total, **state["timing_metrics"]},
        "warnings": warnings,
    }
    asked = state["question"]
    return new_answer(asked, deps.engine, deps.settings, deps.thread, deps.trace_id, told)
