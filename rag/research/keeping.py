"""A finished report kept: as a trace always, as a turn where a thread was named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from state.answer import ANSWER_SCHEMA, Answer
from state.traces import TraceStore

if TYPE_CHECKING:
    from rag.research.report import Report
    from rag.research.run import Research


def keep_report(run: Research, report: Report) -> None:
    """Errors as the stores'."""
    settings = run.session.settings
    answer = as_answer(run, report)
    if settings.thread is not None and report["status"] != "waiting":
        number = run.session.memory.record(settings.thread, answer)
        answer = {**answer, "thread": settings.thread, "turn": number}
    with TraceStore(settings.home) as traces:
        traces.keep(
            report["run_id"],
            run.events,
            answer,
            kind="research",
            keep=settings.trace_keep,
            days=settings.trace_days,
        )


def as_answer(run: Research, report: Report) -> Answer:
    """The report as the turn it is: its answer is the whole Markdown."""
    session = run.session
    return {
        "schema": ANSWER_SCHEMA,
        "status": "abstained" if report["status"] == "waiting" else report["status"],
        "question": report["question"],
        "standalone_question": report["question"],
        "answer": report["report"],
        "citations": report["citations"],
        "loops": [],
        "loop_count": 0,
        "max_loops": session.settings.max_loops,
        "generation_retries": 0,
        "engine": {
            "name": session.engine.name,
            "model": session.engine.model,
            "embedder": str(session.reader.embedder.identity),
        },
        "usage": report["usage"],
        "timings_ms": {"total": report["seconds"] * 1000},
        "thread": None,
        "turn": 1,
        "trace_id": report["run_id"],
        "warnings": report["warnings"],
    }
