"""A stored trace, read: a question's loops with queries, chunks and grades, a research run's
rounds with their subtasks, as values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from state.events import RetrievedItem, TurnStarted
from state.passages import Grade
from state.traces import Trace

if TYPE_CHECKING:  # what only looks at questions does without
    from state.research_events import ResearchEvent, ResearchStarted

DECISIONS = {"generate": "answer", "transform_query": "rewrite the query", "abstain": "abstain"}
"""What a decision is called where people read it."""


@dataclass(slots=True)
class TracedLoop:
    """One loop: its chunks in rank order, and the grades known when it ended."""

    number: int
    query: str
    chunks: tuple[RetrievedItem, ...]
    grades: dict[str, Grade] = field(default_factory=dict)
    decision: str = ""
    reason: str = ""
    rewrite: str = ""

    @property
    def new(self) -> int:
        return sum(item["new"] for item in self.chunks)

    @property
    def newly_relevant(self) -> int:
        """What the loop gained: unseen chunks that were graded relevant."""
        return sum(
            item["new"] and self.grades[item["chunk_id"]]["relevant"]
            for item in self.chunks
            if item["chunk_id"] in self.grades
        )


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
    """How a question's or a research run was set up."""
    if trace["kind"] == "research":
        return run_started(trace)
    return cast("TurnStarted", trace["events"][0])


def run_started(trace: Trace) -> ResearchStarted:
    """How a research run was set up when it was last started or resumed."""
    events = reversed(_research_events(trace))
    return next(event for event in events if event["event"] == "research_started")


def path_taken(trace: Trace) -> list[str]:
    """The nodes in the order they ran."""
    return [event["node"] for event in trace["events"] if event["event"] == "node_started"]


def loops(trace: Trace) -> list[TracedLoop]:
    found: list[TracedLoop] = []
    for event in trace["events"]:
        if event["event"] == "retrieved":
            known = dict(found[-1].grades) if found else {}
            found.append(TracedLoop(event["loop"], event["query"], tuple(event["chunks"]), known))
        elif not found:
            continue
        elif event["event"] == "graded":
            found[-1].grades.update((grade["chunk_id"], grade) for grade in event["grades"])
        elif event["event"] == "decided":
            found[-1].decision, found[-1].reason = event["decision"], event["reason"]
        elif event["event"] == "rewritten":
            found[-1].rewrite = f"{event['query'] or 'no better query'} ({event['reason']})"
    return found


def rounds(trace: Trace) -> list[Round]:
    """By number: a round that was interrupted is told of again when the run goes on."""
    found: dict[int, Round] = {}
    tasks: dict[str, TracedSubtask] = {}
    for event in _research_events(trace):
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
    return list(found.values())


def _research_events(trace: Trace) -> list[ResearchEvent]:
    return cast("list[ResearchEvent]", trace["events"])
