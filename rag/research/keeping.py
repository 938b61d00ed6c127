"""A report kept: as a trace always, as a turn where its run was started on a thread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rag.new_answer import new_answer
from state.answer import Answer
from state.errors import CragError, UsageError
from state.shared_place import open_traces
from state.trace_store import TraceStore

if TYPE_CHECKING:
    from rag.research.report import Report
    from rag.session import Session


def keep_trace(session: Session, report: Report, events: Sequence[Mapping[str, Any]]) -> None:
    """A resumed run's trace takes the place of its earlier part's, whose events it begins
    with. One that cannot be kept is told of; it costs nobody the report.
    """
    settings = session.settings
    try:
        with open_traces(settings) as traces:
            earlier = _earlier(traces, report["run_id"])
            answer = as_answer(session, report)
            traces.keep(report["run_id"], [*earlier, *events], answer, kind="research")
    except CragError as error:
        session.notify(f"The trace was not kept: {error}")


def record_turn(session: Session, report: Report) -> None:
    """Once a run, even if it was killed right after; errors as the store's."""
    thread = session.settings.thread
    if thread is None:
        return
    newest = session.memory.store.turns(thread, newest_first=True, limit=1)
    if any(turn.answer["trace_id"] == report["run_id"] for turn in newest):
        return
    answer = as_answer(session, report)
    session.memory.store.append(thread, answer, collection=session.reader.name)


def _earlier(traces: TraceStore, run_id: str) -> list[Any]:
    try:
        return list(traces.get(run_id)["events"])
    except UsageError:
        return []


def as_answer(session: Session, report: Report) -> Answer:
    """The report as the turn it is: its answer is the whole Markdown."""
    settings, thread = session.settings, session.settings.thread
    answer = new_answer(
        report["question"], session.engine, session.reader, settings, thread, report["run_id"]
    )
    return {
        **answer,
        "status": "partial" if report["status"] == "waiting" else report["status"],
        "standalone_question": report["standalone_question"],
        "answer": report["report"],
        "citations": report["citations"],
        "usage": report["usage"],
        "timings_ms": {"total": report["seconds"] * 1000},
        "turn": 1 if thread is None else session.memory.store.last_turn(thread) + 1,
        "warnings": report["warnings"],
    }
