"""A research run's trace, read: its rounds with their subtasks as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

from rag.tracing.stored_trace import started
from state.errors import UsageError
from state.events import TurnStarted
from state.research_events import ResearchEvent, ResearchStarted
from state.traces import Trace


@dataclass(slots=True)
class TracedSubtask:
    """`status` is planned until it returned; `ms` is its time from start to end."""

    id: str
    role: str
    instruction: str
    status: str = "planned"
    citations: int = 0
    ms: float = 0.0
    trace_id: str | None = None


@dataclass(slots=True)
class Round:
    """A planning round; `decision` is empty where a run ended before it was reflected on."""

    number: int
    subtasks: list[TracedSubtask] = field(default_factory=list)
    decision: str = ""
    reason: str = ""


def began(trace: Trace) -> TurnStarted | ResearchStarted:
    """How a question's or a research run was set up; raises as `run_started`."""
    return run_started(trace) if trace["kind"] == "research" else started(trace)


def run_started(trace: Trace) -> ResearchStarted:
    """How a research run was set up when it was last started or resumed.

    Raises:
        UsageError: the trace is of a question, or an older version kept it.
    """
    for event in reversed(research_events(trace)):
        if event["event"] == "research_started":
            if "roles" not in event:
                raise UsageError(
                    f"Trace {trace['trace_id']} was kept by an older version.",
                    "`crag trace ID` still shows it.",
                )
            return event
    raise UsageError(f"Trace {trace['trace_id']} is of a question, not of a research run.")


def research_events(trace: Trace) -> list[ResearchEvent]:
    return cast("list[ResearchEvent]", trace["events"])


def rounds(trace: Trace) -> list[Round]:
    return list(_rounds(research_events(trace)).values())


def _rounds(events: Iterable[ResearchEvent]) -> dict[int, Round]:
    """By number: a round that was interrupted is told of again when the run goes on."""
    found: dict[int, Round] = {}
    tasks: dict[str, TracedSubtask] = {}
    for event in events:
        if event["event"] == "planned":
            shown = found.setdefault(event["round"], Round(event["round"]))
            for planned in event["subtasks"]:
                if planned["id"] not in tasks:
                    task = TracedSubtask(planned["id"], planned["role"], planned["instruction"])
                    tasks[planned["id"]] = task
                    shown.subtasks.append(task)
        elif event["event"] == "subtask_finished" and event["subtask"] in tasks:
            task = tasks[event["subtask"]]
            task.status, task.citations = event["status"], event["citations"]
            task.ms, task.trace_id = event["ms"], event["trace_id"]
        elif event["event"] == "reflected" and event["round"] in found:
            shown = found[event["round"]]
            shown.decision, shown.reason = event["decision"], event["reason"]
    return found
