"""The state of a research run, a plan, a bounded virtual file system, and how far it is; and its
events, the last line of whose stdout is its report, `crag.research/1`.

Rounds follow each other: the steps `cleanup`, `plan`, `dispatch` and `reflect`, with the subtasks
of `dispatch` side by side. `at_ms` counts milliseconds from the last `research_started`: a resumed
run starts anew.

Finished artifacts are kept whole in the run's journal on disk; what stands here is the working set
that a planner sees as summaries, small however long the run goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from state.answer import NO_USAGE, Citation, Usage
from state.events import ModelCalled, NodeFinished, NodeStarted, RunStarted
from state.graph_state import fresh

SubtaskStatus = Literal["planned", "done", "empty"]
RoundDecision = Literal["continue", "replan", "end", "escalate"]


class Subtask(TypedDict):
    """One piece of work. `heading`, at most eight words, is shown in the report. `queries` are what
    a searcher searches. `read_files` are names of artifacts that it is given whole, evicted ones
    too, and waits for where they are still to be written; for a searcher also names of documents.
    `read_tokens` are those of documents that it may read at first, and then for what is missing.

    `expected_artifact` names it: the same work has the same name, so that a resumed run, or a plan
    that repeats itself, never does it twice.
    """

    role: str
    heading: str
    instruction: str
    queries: list[str]
    expected_artifact: str
    read_files: list[str]
    read_tokens: list[int]
    status: SubtaskStatus


class Finding(TypedDict):
    """What a subagent states, in a sentence or more, with the markers of its citations."""

    text: str
    markers: list[int]


class Found(TypedDict):
    """A subagent's result. `missing` names what was `searched` for and not found, `nearest` the
    places that may state it all the same. Its text is made of its findings.
    """

    searched: list[str]
    findings: list[Finding]
    citations: list[Citation]
    missing: list[str]
    nearest: list[Citation]
    warnings: list[str]


class Artifact(Subtask, Found):
    """A subtask with its result, from which alone the report is made."""

    usage: Usage


class FileEntry(TypedDict):
    """One virtual file. Above 32 KB `content` is None, and `pointer` names the artifact in the
    run's journal that holds it.
    """

    content: str | None
    pointer: str | None
    bytes: int
    written_at_step: int
    status: SubtaskStatus


class ResearchState(TypedDict):
    """JSON throughout. `question` stands alone. `plans` counts all rounds, `rounds` the reflections
    since the person was last asked. `guidance` is what the person answered; `leads` are what
    reflection wants searched next; `closed` are missing parts that a later finding answers; `usage`
    and `warnings` are those of planning and reflecting.
    """

    question: str
    plan: list[Subtask]
    files: dict[str, FileEntry]
    rounds: int
    decision: RoundDecision | None
    escalation: str | None
    guidance: list[str]
    leads: list[str]
    closed: list[str]
    plans: int
    usage: Usage
    warnings: list[str]


def new_research(
    question: str, usage: Usage = NO_USAGE, warnings: Sequence[str] = ()
) -> ResearchState:
    return fresh(ResearchState, question=question, usage=usage, warnings=[*warnings])


class ResearchStarted(RunStarted):
    event: Literal["research_started"]
    run_id: str


class PlannedRound(TypedDict):
    event: Literal["planned"]
    round: int
    subtasks: list[Subtask]


class SubtaskStarted(TypedDict):
    event: Literal["subtask_started"]
    subtask: Subtask
    at_ms: float


class SubtaskFinished(TypedDict):
    """`artifact` is the subtask's name, which is also the `node` of its model calls. `missing` is
    what it did not find.
    """

    event: Literal["subtask_finished"]
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
    | NodeStarted
    | NodeFinished
    | ModelCalled
    | PlannedRound
    | SubtaskStarted
    | SubtaskFinished
    | ReflectedEvent
)
