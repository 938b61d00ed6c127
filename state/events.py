"""The events of a run: the lines of `--events`, of which traces are made as well.

Every event is JSON. A run is: `turn_started`, then `node_started`/`node_finished` around each
node's own events, and last `failed`, or the finished answer (`crag.answer/1`) itself. An ingest has
an event for each file, and ends with its report.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from state.answer import Answer, Decision
from state.passages import FoundChunk, Grade, HistoryTurn


class RunStarted(TypedDict):
    """How a run is set up. `started_at` is seconds since 1970; every `at_ms` counts milliseconds
    from it.
    """

    started_at: float
    question: str
    engine: str
    model: str | None
    collection: str
    max_loops: int
    k: int
    grader: str


class TurnStarted(RunStarted):
    event: Literal["turn_started"]
    trace_id: str
    thread: str | None
    verify: str
    web: bool


class NodeStarted(TypedDict):
    event: Literal["node_started"]
    node: str
    at_ms: float


class NodeFinished(TypedDict):
    event: Literal["node_finished"]
    node: str
    ms: float


class ModelCalled(TypedDict):
    """One model call, its retries included; it is emitted when its node has finished.

    A call that `failed` has no reply, and counts tokens only if the question's time ran out during
    it. `cost_usd` is None if no price is known; `estimated` is True if the server sent no counts,
    so that they were counted here.
    """

    event: Literal["model_called"]
    node: str
    model: str
    host: str
    at_ms: float
    ms: float
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    estimated: bool
    failed: bool


class ContextualizedEvent(TypedDict):
    event: Literal["contextualized"]
    standalone_question: str
    reason: str | None
    history: list[HistoryTurn]


class RetrievedItem(FoundChunk):
    """`new` is True if no earlier loop of the question had found it."""

    new: bool


class RetrievedEvent(TypedDict):
    """`dense` says what answered the dense leg: "chroma", "pgvector", or "catalog" and why."""

    event: Literal["retrieved"]
    loop: int
    query: str
    dense: NotRequired[str]
    chunks: list[RetrievedItem]


class GradedEvent(TypedDict):
    event: Literal["graded"]
    loop: int
    grades: list[Grade]
    sufficient: bool


class DecidedEvent(TypedDict):
    event: Literal["decided"]
    loop: int
    decision: Decision
    reason: str


class RewrittenEvent(TypedDict):
    event: Literal["rewritten"]
    loop: int
    query: str | None
    reason: str


class TokenEvent(TypedDict):
    event: Literal["token"]
    text: str


class DraftRejectedEvent(TypedDict):
    """The draft shown so far is withdrawn; a new one follows. `unsupported` are its parts whose
    quotes were not found, or give another number.
    """

    event: Literal["draft_rejected"]
    unsupported: list[str]


class FailedEvent(TypedDict):
    """The last event of a turn that failed in `node`, or outside of any node where that is None."""

    event: Literal["failed"]
    node: str | None
    error: str
    message: str


class AnswerEvent(TypedDict):
    """The last event inside the program; on stdout the answer stands by itself."""

    event: Literal["answer"]
    answer: Answer


Event = (
    TurnStarted
    | NodeStarted
    | NodeFinished
    | ModelCalled
    | ContextualizedEvent
    | RetrievedEvent
    | GradedEvent
    | DecidedEvent
    | RewrittenEvent
    | TokenEvent
    | DraftRejectedEvent
    | FailedEvent
    | AnswerEvent
)


Outcome = Literal["added", "updated", "unchanged", "removed", "skipped", "failed"]


class PlannedFiles(TypedDict):
    """The walk is over: `files` of `bytes` will be read; `missing` are gone from the disk."""

    event: Literal["planned"]
    files: int
    bytes: int
    unchanged: int
    missing: int


class FileEvent(TypedDict):
    """One file was handled; `source` is its document, if it has one."""

    event: Literal["file"]
    path: str
    outcome: Outcome
    source: str | None
    reason: str | None
    bytes: int


IngestEvent = PlannedFiles | FileEvent
