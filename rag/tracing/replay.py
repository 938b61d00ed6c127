"""A past question asked again, from the history it had, with the same or other settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag.session import open_session
from rag.tracing.view import started
from state.passages import HistoryTurn
from state.settings import Settings
from state.traces import Trace, TraceStore


def replay_flags(trace: Trace, given: Mapping[str, Any]) -> dict[str, Any]:
    """The trace's own settings under those that are given anew."""
    event = started(trace)
    recorded = {
        "collection": event["collection"],
        "engine": event["engine"],
        "model": event["model"],
        "k": event["k"],
        "max_loops": event["max_loops"],
    }
    if given.get("engine") is not None:
        del recorded["model"]
    return {**recorded, **{name: value for name, value in given.items() if value is not None}}


def replay(trace: Trace, settings: Settings, notify: Callable[[str], None]) -> Trace:
    """Run the question outside its thread, which stays as it is, and return the new trace.

    Raises:
        CragError: as a session does.

    """
    with open_session(settings, notify) as session:
        answer = session.ask(trace["answer"]["question"], history=_history(trace))
    with TraceStore(settings.home) as traces:
        return traces.get(answer["trace_id"])


def _history(trace: Trace) -> list[HistoryTurn]:
    for event in trace["events"]:
        if event["event"] == "contextualized":
            return event["history"]
    return []
