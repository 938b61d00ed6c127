"""A stored trace, read: its loops with queries, chunks and grades as values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from state.errors import UsageError
from state.events import Event, RefinedEvent, RetrievedItem, TurnStarted
from state.grades import Grade
from state.traces import Trace

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


def started(trace: Trace) -> TurnStarted:
    """How a question's run was set up.

    Raises:
        UsageError: the trace is of a research run.
    """
    if trace["kind"] != "answer":
        raise UsageError(f"Trace {trace['trace_id']} is of a research run, not of a question.")
    return cast("TurnStarted", trace["events"][0])


def refined(trace: Trace) -> RefinedEvent | None:
    for event in trace["events"]:
        if event["event"] == "refined":
            return event
    return None


def path_taken(trace: Trace) -> list[str]:
    """The nodes in the order they ran."""
    return [event["node"] for event in trace["events"] if event["event"] == "node_started"]


def loops(trace: Trace) -> list[TracedLoop]:
    return list(_loops(trace["events"]))


def _loops(events: list[Event]) -> Iterator[TracedLoop]:
    at: TracedLoop | None = None
    for event in events:
        if event["event"] == "retrieved":
            if at is not None:
                yield at
            known = {} if at is None else dict(at.grades)
            at = TracedLoop(event["loop"], event["query"], tuple(event["chunks"]), known)
        elif at is None:
            continue
        elif event["event"] == "graded":
            at.grades.update((grade["chunk_id"], grade) for grade in event["grades"])
        elif event["event"] == "decided":
            at.decision, at.reason = event["decision"], event["reason"]
        elif event["event"] == "rewritten":
            at.rewrite = f"{event['query'] or 'no better query'} ({event['reason']})"
    if at is not None:
        yield at
