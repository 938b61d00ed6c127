"""What is kept of a finished run, one line of it, and which ones are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict

from state.answer import Answer
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


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """Which traces to list; None does not ask. Without `parent` those are left out that were
    kept for a research run. `since` is seconds since 1970; `text` is in the question.
    """

    thread: str | None = None
    status: str | None = None
    kind: str | None = None
    since: float | None = None
    text: str | None = None
    parent: str | None = None

    def where(self) -> tuple[str, list[object]]:
        """The condition and its values."""
        asked: list[tuple[str, object]] = [
            ("thread = ?", self.thread),
            ("status = ?", self.status),
            ("kind = ?", self.kind),
            ("created_at >= ?", self.since),
            ("instr(lower(question), lower(?))", self.text),
            ("parent = ?", self.parent),
        ]
        given = [(condition, value) for condition, value in asked if value is not None]
        conditions = [condition for condition, _ in given]
        if self.parent is None:
            conditions.append("parent is null")
        return " and ".join(conditions), [value for _, value in given]
