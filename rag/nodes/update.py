"""What a node returns, and the wrappers that time each node and report it to the stream."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from langgraph.runtime import Runtime

from rag.budget import BudgetSpent, add_calls, call_event, record_calls
from rag.dependencies import Dependencies
from rag.index.language import reading_for
from state.errors import CragError, ModelError
from state.events import ModelCalled
from state.graph_state import GraphState

Update = dict[str, Any]
"""The channels of GraphState that a node changed, and no others."""

Node = Callable[[GraphState, Runtime[Dependencies]], Update]


BETWEEN_QUERIES = " · "
"""Stands between the queries of a loop where traces tell them."""


def instrumented(name: str, node: Node) -> Callable[..., Update]:
    """The node with its start, its model calls and its end reported to the stream, its time added
    to `timing_metrics` and what its calls took to `usage`. It runs with the language of the
    question, or else of the questions before it, or else of the collection. What a model has
    answered stands where a budget ends, or the model fails, before it has answered again.
    """

    def run(state: GraphState, *, runtime: Runtime[Dependencies]) -> Update:
        deps = runtime.context
        earlier = [turn["question"] for turn in reversed(state.get("timeline", []))]

        def read() -> Update:
            with reading_for(deps.reader, state["question"], *earlier):
                try:
                    return node(state, runtime)
                except (BudgetSpent, ModelError) as error:
                    if not (state.get("gaps") or state.get("generation_retries")):
                        raise
                    if name == "generate":  # of which something may be on the screen
                        runtime.stream_writer({"event": "draft_rejected", "unsupported": []})
                    return ended_early(error)

        update, calls, spent = run_with_events(name, read, runtime.stream_writer, deps.started)
        if calls:
            usage = update.get("usage", state["usage"])
            update = {**update, "usage": add_calls(usage, name, calls)}
        timings = update.get("timing_metrics", state.get("timing_metrics", {}))
        total = round(timings.get(name, 0.0) + spent, 3)
        return {**update, "timing_metrics": {**timings, name: total}}

    return run


def ended_early(error: CragError) -> Update:
    """The update of a node by whose failure no answer is lost."""
    told = "The budget ended the run early: " if isinstance(error, BudgetSpent) else ""
    return {"ended_early": f"{told}{error}"}


def run_with_events(
    name: str, run: Callable[[], Update], write: Callable[[Any], None], started: float
) -> tuple[Update, list[ModelCalled], float]:
    """Runs a node; returns its update, its model calls and its milliseconds. Its start, these calls
    and its end go to `write` as events, with times counted from `started`.
    """
    began = time.perf_counter()
    at_ms = round((began - started) * 1000, 3)
    write({"event": "node_started", "node": name, "at_ms": at_ms})
    with record_calls() as calls:
        try:
            update = run()
        finally:  # a node that fails has called too
            for call in calls:
                write(call_event(call, name, started))
    spent = round((time.perf_counter() - began) * 1000, 3)
    write({"event": "node_finished", "node": name, "ms": spent})
    return update, calls, spent
