"""What a node returns, and the wrapper that times every node alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.endpoint.calls import recorded
from state.graph_state import GraphState

Update = dict[str, Any]
"""The channels of GraphState that a node changed, and no others."""

Node = Callable[[GraphState, Runtime[Dependencies]], Update]


class TimedNode(Protocol):
    """A node as LangGraph calls it."""

    def __call__(self, state: GraphState, *, runtime: Runtime[Dependencies]) -> Update: ...


def timed(name: str, node: Node) -> TimedNode:
    """`node`, with its start, its model calls and its end told to the stream and its time in
    `timing_metrics`.
    """

    def run(state: GraphState, *, runtime: Runtime[Dependencies]) -> Update:
        clock, started = runtime.context.clock, runtime.context.started
        write = runtime.stream_writer
        began = clock()
        at_ms = round((began - started) * 1000, 3)
        write({"event": "node_started", "node": name, "at_ms": at_ms})
        with recorded() as calls:
            try:
                update = node(state, runtime)
            finally:  # a node that fails has called too
                for call in calls:
                    write(call.event(name, started))
        spent = round((clock() - began) * 1000, 3)
        write({"event": "node_finished", "node": name, "ms": spent})
        timings = update.get("timing_metrics", state.get("timing_metrics", {}))
        total = round(timings.get(name, 0.0) + spent, 3)
        return {**update, "timing_metrics": {**timings, name: total}}

    return run
