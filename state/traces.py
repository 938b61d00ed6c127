"""What is kept of a finished run, and one line of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

from state.answer import Answer

if TYPE_CHECKING:
    from state.events import Event

TRACE_SCHEMA = "crag.trace/1"

Kind = Literal["answer", "research"]


class TraceSummary(TypedDict):
    """One line of `crag trace list`; `created_at` is seconds since 1970. `parent` is the
    research run that the question was asked for.
    """

    trace_id: str
    created_at: float
    kind: str
    thread: str | None
    status: str
    question: str
    parent: str | None


class Trace(TypedDict):
    """Everything a run said, but for the tokens it streamed."""

    schema: str
    trace_id: str
    created_at: float
    kind: str
    answer: Answer
    events: list[Event]
