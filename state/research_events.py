"""The events of a research run, the last line of whose stdout is its report, `crag.research/1`.

Rounds follow each other: the nodes `cleanup`, `plan`, `dispatch` and `reflect`, with the subtasks
of `dispatch` side by side. `at_ms` counts milliseconds from the last `research_started`: a resumed
run starts anew.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from state.events import ModelCalled, NodeFinished, NodeStarted
from state.research_state import RoundDecision, Subtask, SubtaskStatus


class ResearchStarted(TypedDict):
    """`started_at` is seconds since 1970."""

    event: Literal["research_started"]
    run_id: str
    started_at: float
    question: str
    engine: str
    model: str | None
    collection: str
    max_loops: int
    k: int
    grader: str


class ResearchContextualized(TypedDict):
    event: Literal["contextualized"]
    standalone_question: str
    reason: str | None


class CleanedUp(TypedDict):
    event: Literal["cleaned_up"]
    evicted: list[str]


class Warned(TypedDict):
    """A warning, emitted once a run; the report holds it too."""

    event: Literal["warned"]
    line: str


class PlannedRound(TypedDict):
    event: Literal["planned"]
    round: int
    subtasks: list[Subtask]


class SubtaskStarted(TypedDict):
    event: Literal["subtask_started"]
    subtask: Subtask
    at_ms: float


class SubtaskFinished(TypedDict):
    """`subtask` is the subtask's id, which is also the `node` of its model calls. `missing` is what
    it did not find.
    """

    event: Literal["subtask_finished"]
    subtask: str
    artifact: str
    status: SubtaskStatus
    bytes: int
    citations: int
    missing: list[str]
    ms: float


class ReflectedEvent(TypedDict):
    """`open` is what was searched for and has not been found yet."""

    event: Literal["reflected"]
    round: int
    decision: RoundDecision
    reason: str
    question: str | None
    open: list[str]


ResearchEvent = (
    ResearchStarted
    | ResearchContextualized
    | NodeStarted
    | NodeFinished
    | ModelCalled
    | CleanedUp
    | Warned
    | PlannedRound
    | SubtaskStarted
    | SubtaskFinished
    | ReflectedEvent
)
