"""A stored trace, read: how its run was set up, and which way it went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from state.events import Event, TurnStarted
from state.trace_store import Trace

if TYPE_CHECKING:  # what only looks at questions does without
    from state.research_events import ResearchEvent, ResearchStarted


def began(trace: Trace) -> TurnStarted | ResearchStarted:
    """How the run was set up, when it was last started or resumed."""
    events = cast("Sequence[Event | ResearchEvent]", trace["events"])
    return next(
        event
        for event in reversed(events)
        if event["event"] == "turn_started" or event["event"] == "research_started"
    )


def path_taken(trace: Trace) -> list[str]:
    """The nodes in the order they ran."""
    return [event["node"] for event in trace["events"] if event["event"] == "node_started"]
