from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, cast

import pytest
from turn_samples import make_answer

from rag.tracing.diff import diff_traces
from rag.tracing.view import loops, path_taken
from state.errors import StorageError, UsageError
from state.events import Event
from state.trace_bounds import TraceBounds
from state.traces import PRUNE_EVERY, TRACES_FILE, Trace, TraceStore

CHUNK = {
    "chunk_id": "c1",
    "source": "a.md",
    "start_line": 1,
    "end_line": 3,
    "start_char": 0,
    "end_char": 50,
    "page": None,
    "score": 1.0,
    "dense_rank": 1,
    "lexical_rank": 2,
    "new": True,
}
GRADE = {
    "chunk_id": "c1",
    "relevant": True,
    "verdict": "correct",
    "confidence": 0.9,
    "reason": "covers 'railway'",
    "grader": "local",
}


def events(query: str = "railway", *, grade: dict[str, Any] = GRADE, k: int = 8) -> list[Event]:
    said: list[dict[str, Any]] = [
        {
            "event": "turn_started",
            "trace_id": "t",
            "question": "q",
            "thread": None,
            "engine": "local",
            "model": None,
            "collection": "default",
            "max_loops": 3,
            "k": k,
            "grader": "auto",
            "verify": "code",
            "web": False,
        },
        {"event": "node_started", "node": "retrieve"},
        {"event": "retrieved", "loop": 0, "query": query, "chunks": [CHUNK]},
        {"event": "node_started", "node": "grade_documents"},
        {"event": "graded", "loop": 0, "grades": [grade], "sufficient": True},
        {"event": "decided", "loop": 0, "decision": "generate", "reason": "enough"},
    ]
    return cast("list[Event]", said)


def a_trace(said: list[Event]) -> Trace:
    answer = make_answer("q", "a")
    return {
        "schema": "crag.trace/1",
        "trace_id": "t",
        "created_at": 0.0,
        "kind": "answer",
        "answer": answer,
        "events": said,
    }


def test_a_trace_comes_back_as_it_was_by_id_beginning_or_last(tmp_path: Path):
    with TraceStore(tmp_path) as store:
        store.keep("20260101-000001-aaaaaa", events(), make_answer("first", "a"))
        store.keep("20260101-000002-bbbbbb", events("other"), make_answer("second", "b"))
    with TraceStore(tmp_path) as store:
        assert store.get("last")["answer"]["question"] == "second"
        assert store.get("20260101-000001-aaaaaa")["events"] == events()
        assert store.get("20260101-000002")["answer"]["answer"] == "b"
        with pytest.raises(UsageError, match="more than one"):
            store.get("20260101")
        with pytest.raises(UsageError, match="no trace"):
            store.get("nope")
        assert [row["question"] for row in store.summaries()] == ["second", "first"]


def test_nothing_is_made_by_looking(tmp_path: Path):
    with TraceStore(tmp_path) as store:
        assert store.summaries() == []
        with pytest.raises(UsageError):
            store.get("last")
    assert list(tmp_path.iterdir()) == []


def test_traces_are_bounded_by_number(tmp_path: Path):
    with TraceStore(tmp_path, TraceBounds(runs=10)) as store:
        for number in range(120):
            store.keep(f"t{number:04d}", events(), make_answer(f"q{number}", "a"))
        kept = store.summaries(limit=1000)
    assert len(kept) <= 10 + PRUNE_EVERY
    assert kept[0]["question"] == "q119"


def test_a_damaged_store_is_one_named_error(tmp_path: Path):
    (tmp_path / TRACES_FILE).write_bytes(b"not a database at all, but long enough" * 40)
    with TraceStore(tmp_path) as store, pytest.raises(StorageError, match="damaged"):
        store.summaries()


def test_the_same_run_has_no_difference():
    assert diff_traces(a_trace(events()), a_trace(events())) == []


def test_queries_grades_and_settings_are_told_apart():
    other = events("rail", grade={**GRADE, "verdict": "incorrect", "confidence": 0.1}, k=4)
    found = {d["what"]: (d["a"], d["b"]) for d in diff_traces(a_trace(events()), a_trace(other))}
    assert found["loop 0 query"] == ("railway", "rail")
    assert found["k"] == ("8", "4")
    assert found["loop 0 grade of a.md:1-3"] == ("correct 0.90 (local)", "incorrect 0.10 (local)")


def test_a_trace_is_read_as_loops_and_a_path():
    (loop,) = loops(a_trace(events()))
    assert (loop.query, loop.new, loop.newly_relevant, loop.decision) == (
        "railway",
        1,
        1,
        "generate",
    )
    assert path_taken(a_trace(events())) == ["retrieve", "grade_documents"]


def test_a_store_that_is_not_a_store_is_left_alone(tmp_path: Path):
    with sqlite3.connect(tmp_path / TRACES_FILE) as db:
        db.execute("create table other (x)")
    with TraceStore(tmp_path) as store:
        store.keep("t1", events(), make_answer("q", "a"))
        assert len(store.summaries()) == 1
