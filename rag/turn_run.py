"""One turn of the graph: its events as they come, its checkpoint kept if it ends well, and what is
kept of one that failed: how far it came, and where it ended.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, cast

from rag.background import Leave, in_background
from rag.budget import Budget
from rag.dependencies import Dependencies, new_answer
from rag.engines.protocol import Budgeted
from rag.graph import recursion_limit
from state.answer import FAILED, NO_USAGE, Answer, NodeUsage, Status, add_usage
from state.errors import CragError
from state.events import Event, FailedEvent

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from rag.graph import CompiledGraph
    from state.graph_state import TurnInput

_GRACE_SECONDS = 3.0


def run_turn(
    graph: CompiledGraph,
    asked: TurnInput,
    deps: Dependencies,
    saver: AbstractContextManager[BaseCheckpointSaver[Any]] | None,
    leave: Leave,
    budget: Budget,
) -> Iterator[Event]:
    """Run the graph on a thread of its own until it ends, the time is up or `leave` is told.
    `saver` gives the turn's checkpointer, where it is one of a thread.

    Raises:
        CragError: the index, the engine or a store failed, or the time was up.
    """
    # A model's calls end in time by themselves, and what was found is then told.
    grace = _GRACE_SECONDS if isinstance(deps.engine, Budgeted) else 0.0

    def left() -> float | None:
        seconds = budget.seconds_left()
        return None if seconds is None else seconds + grace

    with saver or nullcontext() as checkpointer:
        try:
            yield from in_background(lambda: _steps(graph, asked, deps, checkpointer), leave, left)
        except TimeoutError:
            raise budget.out_of_time() from None


def _steps(
    graph: CompiledGraph,
    asked: TurnInput,
    deps: Dependencies,
    checkpointer: BaseCheckpointSaver[Any] | None,
) -> Iterator[Event]:
    config: RunnableConfig = {"recursion_limit": recursion_limit(deps.settings.max_loops)}
    if checkpointer is not None:
        config["configurable"] = {"thread_id": deps.thread}
    for part in graph.copy({"checkpointer": checkpointer}).stream(
        asked,
        config,
        context=deps,
        stream_mode=["custom"],
        durability=None if checkpointer is None else "exit",
        version="v2",
    ):
        yield cast("Event", part["data"])


def failure(error: Exception, events: Sequence[Event]) -> FailedEvent:
    """The event that says where and how a run with these `events` ended."""
    at: str | None = None
    for event in events:
        if event["event"] == "node_started":
            at = event["node"]
        elif event["event"] == "node_finished" and event["node"] == at:
            at = None
    named = isinstance(error, CragError)
    return {
        "event": "failed",
        "node": at,
        "error": type(error).__name__ if named else "Unexpected",
        "message": str(error) if named else f"unexpected {type(error).__name__}",
    }


def failed_turn(question: str, deps: Dependencies, events: Sequence[Event]) -> Answer:
    """The record of a trace whose turn has no answer; it is never shown as one.

    The time and the calls are those of the nodes that finished.
    """
    alone, usage, timings = question, NO_USAGE, dict[str, float]()
    loop_count = 0
    for event in events:
        if event["event"] == "contextualized":
            alone = event["standalone_question"]
        elif event["event"] == "retrieved":
            loop_count = event["loop"]
        elif event["event"] == "node_finished":
            timings[event["node"]] = timings.get(event["node"], 0.0) + event["ms"]
        elif event["event"] == "model_called" and event["operation"] != "embeddings":
            spent: NodeUsage = {
                "llm_calls": 1,
                "input_tokens": event["input_tokens"],
                "output_tokens": event["output_tokens"],
                "cost_usd": None,
            }
            usage = add_usage(usage, event["node"], spent)
    answer = new_answer(
        question, deps.engine, deps.reader, deps.settings, deps.thread, deps.trace_id
    )
    return {
        **answer,
        "status": cast("Status", FAILED),
        "standalone_question": alone,
        "loop_count": loop_count,
        "usage": usage,
        "timings_ms": {"total": (time.perf_counter() - deps.started) * 1000, **timings},
    }
