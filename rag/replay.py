"""A past run made again, from the history it had, with the same or other settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag.session import open_session
from rag.tracing.stored_trace import began, run_started
from state.errors import StorageError, UsageError
from state.settings import Settings
from state.shared_place import open_traces
from state.traces import Trace

_SAME = ("collection", "files", "engine", "model", "k", "max_loops", "grader", "verify", "web")


def replay_flags(trace: Trace, given: Mapping[str, Any]) -> dict[str, Any]:
    """The trace's own settings under those that are given anew."""
    event = began(trace)
    recorded = {name: value for name, value in event.items() if name in _SAME}
    if given.get("engine") is not None:
        del recorded["model"]
    return {**recorded, **{name: value for name, value in given.items() if value is not None}}


def replay(trace: Trace, settings: Settings, notify: Callable[[str], None]) -> Trace:
    """Run the question outside its thread, which stays as it is, and return the new trace.

    A research run starts from the question that stood alone then. Where the person was asked
    something, the new run asks again.

    Raises:
        CragError: as a session does.
    """
    settings = settings.model_copy(update={"thread": None})
    if trace["kind"] == "research":
        identity = _research(trace, settings, notify)
    else:
        with open_session(settings, notify) as session:
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


def _research(trace: Trace, settings: Settings, notify: Callable[[str], None]) -> str:
    from rag.research.roles import ResearchOptions
    from rag.research.run import Research

    event = run_started(trace)
    options = ResearchOptions(tuple(event["roles"]), event["max_rounds"])
    with Research(settings, options, notify) as run:
        return run.start(trace["answer"]["standalone_question"])["run_id"]
