"""A stored trace, read: how its run was set up, and a question's loops with their chunks and
grades.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from state.events import RetrievedItem, TurnStarted
from state.passages import Grade
from state.trace_store import Trace

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

    @property
    def gained(self) -> int:
        return newly_relevant(self.chunks, self.grades)


def newly_relevant(chunks: Iterable[RetrievedItem], grades: Mapping[str, Grade]) -> int:
    """What a loop gained: chunks that none had found before and that were graded relevant."""
    known = (item for item in chunks if item["new"] and item["chunk_id"] in grades)
    return sum(grades[item["chunk_id"]]["relevant"] for item in known)


def began(trace: Trace) -> TurnStarted | ResearchStarted:
    """How a question's or a research run was set up."""
    if trace["kind"] == "research":
        return run_started(trace)
    return cast("TurnStarted", trace["events"][0])


def run_started(trace: Trace) -> ResearchStarted:
    """How a research run was set up when it was last started or resumed."""
    events = cast("Sequence[ResearchEvent]", trace["events"])
    return next(event for event in reversed(events) if event["event"] == "research_started")


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
            found[-1].decision = event["decision"]
    return found
