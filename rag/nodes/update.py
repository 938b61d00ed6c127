"""What a node returns, and the wrapper that times every node alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from langgraph.runtime import Runtime

from rag.dependencies import Dependencies
from rag.endpoint.calls import recorded
from rag.index.spoken import reading_for
from state.graph_state import GraphState

Update = dict[str, Any]
"""The channels of GraphState that a node changed, and no others."""

Node = Callable[[GraphState, Runtime[Dependencies]], Update]


class TimedNode(Protocol):
    """A node as LangGraph calls it."""

    def __call__(self, state: GraphState, *, runtime: Runtime[Dependencies]) -> Update: ...


def _asked(state: GraphState) -> list[str]:
    """The questions of the thread, this one first; of one asked back only that is kept."""
    asked = [turn["question"] for turn in reversed(state.get("timeline", []))]
    if open_question := state.get("open_question"):
        asked.insert(0, open_question["question"])
    return [state["question"], *asked] if "question" in state else asked


def timed(name: str, node: Node) -> TimedNode:
    """`node`, with its start, its model calls and its end told to the stream and its time in
    `timing_metrics`. It reads in the language of the question, of those before it, or of the
    collection.
    """

    def run(state: GraphState, *, runtime: Runtime[Dependencies]) -> Update:
        clock, started = runtime.context.clock, runtime.context.started
        reader = runtime.context.reader
        write = runtime.stream_writer
        began = clock()
        at_ms = round((began - started) * 1000, 3)
        write({"event": "node_started", "node": name, "at_ms": at_ms})
        with recorded() as calls, reading_for(reader, *_asked(state)):
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
