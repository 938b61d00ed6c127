"""One turn of the graph: its events as they come, its checkpoint kept if it ends well."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, cast

from rag.background import Leave, in_background
from rag.budget import Budget
from rag.dependencies import Dependencies
from rag.engines.protocol import Budgeted
from rag.graph import recursion_limit
from state.events import Event

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
