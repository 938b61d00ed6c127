"""How a past run was set up, and the replay of its question: with the history it had, under the
same or other settings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from state.errors import StorageError, UsageError
from state.settings import Settings
from state.trace_store import Trace, open_traces

if TYPE_CHECKING:
    from state.events import Event, TurnStarted
    from state.research_events import ResearchEvent, ResearchStarted

_SAME = ("collection", "files", "engine", "model", "k", "max_loops", "grader", "verify", "web")


def start_event(trace: Trace) -> TurnStarted | ResearchStarted:
    """The event that says how the run was set up when it was last started or resumed."""
    events = cast("Sequence[Event | ResearchEvent]", trace["events"])
    return next(
        event
        for event in reversed(events)
        if event["event"] == "turn_started" or event["event"] == "research_started"
    )


def is_research(trace: Trace) -> bool:
    return start_event(trace)["event"] == "research_started"


def recorded_flags(trace: Trace, engine: object) -> dict[str, Any]:
    """The settings of the trace; without its model if another `engine` is given."""
    left_out = () if engine is None else ("model",)
    event = start_event(trace)
    return {name: each for name, each in event.items() if name in _SAME and name not in left_out}


def replay(trace: Trace, settings: Settings, notify: Callable[[str], None]) -> Trace:
    """Run the question outside its thread, which stays as it is, and return the new trace.

    Raises:
        UsageError: it is a research run.
        CragError: as a session does.
    """
    if is_research(trace):
        raise UsageError("A research run is not replayed.", "Ask it again with crag research.")
    from rag.session import open_session

    with open_session(settings.model_copy(update={"thread": None}), notify) as session:
        asked = trace["answer"]["question"]
        told = (each for each in trace["events"] if each["event"] == "contextualized")
        history = next((each["history"] for each in told), [])
        identity = session.ask(asked, history=history)["trace_id"]
    with open_traces(settings) as traces:
        try:
            return traces.get(identity)
        except UsageError:  # a notice said why
            raise StorageError(
                "The trace of the new run could not be kept, so it cannot be compared.",
                "Let the home be written, or make room there.",
            ) from None
