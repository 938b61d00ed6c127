"""From one boundary of a research run to the next: an invocation of the graph, a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from langgraph.types import Command

from rag.research.research_dependencies import ResearchDependencies
from rag.research.research_graph import compile_research
from state.research_state import ResearchState

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

    from state.checkpoints import Checkpoints

STEPS_PER_PASS = 12


def checkpoint_name(run_id: str) -> str:
    return f"research:{run_id}"


def to_boundary(
    checkpoints: Checkpoints, state: ResearchState, deps: ResearchDependencies, answer: str | None
) -> tuple[ResearchState, bool]:
    """On to the next boundary; returns the state there, and whether it waits for the person.

    Raises:
        CragError: the engine or a store failed; the last boundary is kept.
    """
    name = checkpoint_name(state["run_id"])
    config: RunnableConfig = {
        "recursion_limit": STEPS_PER_PASS,
        "configurable": {"thread_id": name},
    }
    with checkpoints.turn(name) as saver:
        graph = compile_research(saver)
        kept = graph.get_state(config)
        entry: Any = state
        if kept.values:
            entry, state = None, cast("ResearchState", kept.values)
            if not kept.next:
                return state, False
        if kept.interrupts:
            if answer is None:
                return state, True
            entry = Command(resume=answer)
        waiting = False
        for part in graph.stream(
            entry, config, context=deps, stream_mode=["values"], durability="exit", version="v2"
        ):
            if part["type"] == "values":
                state, waiting = part["data"], bool(part["interrupts"])
    return state, waiting
