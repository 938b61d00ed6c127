"""Runs a turn of the graph on a background thread, which can be cancelled at any moment. Its events
are yielded as they come; its checkpoint is kept if it ends well.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, cast

from rag.budget import Budget
from rag.dependencies import Dependencies
from rag.graph import recursion_limit, shared_graph
from state.background import Cancellation, in_background
from state.errors import CragError

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from state.events import Event, FailedEvent

_GRACE_SECONDS = 3.0


def run_turn(
    question: str,
    deps: Dependencies,
    saver: AbstractContextManager[BaseCheckpointSaver[Any]] | None,
    cancel: Cancellation,
    budget: Budget,
) -> Iterator[Event]:
    """Run the graph on a thread of its own until it ends, the time is up or `cancel` is set.
    `saver` gives the turn's checkpointer, where it is one of a thread.

    Raises:
        CragError: the index, the engine or a store failed, or the time was up.
    """
    # A model's calls end in time by themselves, and what was found is then told.
    grace = _GRACE_SECONDS if deps.engine.model is not None else 0.0

    def left() -> float | None:
        seconds = budget.seconds_left()
        return None if seconds is None else seconds + grace

    def steps() -> Generator[Event]:
        config: RunnableConfig = {"recursion_limit": recursion_limit(deps.settings.max_loops)}
        if checkpointer is not None:
            config["configurable"] = {"thread_id": deps.thread}
        graph = shared_graph().copy({"checkpointer": checkpointer})
        parts = graph.stream(
            {"question": question},
            config,
            context=deps,
            stream_mode=["custom"],
            durability=None if checkpointer is None else "exit",
            version="v2",
        )
        for part in parts:
            yield cast("Event", part["data"])

    with saver or nullcontext() as checkpointer:
        try:
            yield from in_background(steps, cancel, left)
        except TimeoutError:
            raise budget.time_spent_error() from None


def failed_event(error: Exception, events: Sequence[Event]) -> FailedEvent:
    """The event that says at which node, and how, a run with these `events` failed."""
    nodes = [e for e in events if e["event"] in ("node_started", "node_finished")]
    at = nodes[-1]["node"] if nodes and nodes[-1]["event"] == "node_started" else None
    named = isinstance(error, CragError)
    return {
        "event": "failed",
        "node": at,
        "error": type(error).__name__ if named else "Unexpected",
        "message": str(error) if named else f"unexpected {type(error).__name__}",
    }
