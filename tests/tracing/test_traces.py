from pathlib import Path
from typing import Any, cast

import pytest
from turn_samples import make_answer

from state.errors import UsageError
from state.events import Event
from state.settings import Settings
from state.trace_store import TraceStore


def events(query: str = "railway") -> list[Event]:
    said: list[dict[str, Any]] = [
        {"event": "turn_started", "question": "q", "collection": "default"},
        {"event": "node_started", "node": "retrieve"},
        {"event": "retrieved", "loop": 0, "query": query, "chunks": []},
    ]
    return cast("list[Event]", said)


def test_a_trace_comes_back_as_it_was_by_id_or_last(tmp_path: Path):
    with TraceStore(Settings(home=tmp_path)) as store:
        store.keep("20260101-000001-aaaaaa", events(), make_answer("first", "a"))
        store.keep("20260101-000002-bbbbbb", events("other"), make_answer("second", "b"))
    with TraceStore(Settings(home=tmp_path)) as store:
        assert store.get("last")["answer"]["question"] == "second"
        assert store.get("20260101-000001-aaaaaa")["events"] == events()
        with pytest.raises(UsageError, match="no trace"):
            store.get("20260101-000002")
        assert [row["question"] for row in store.summaries()] == ["second", "first"]


def test_a_trace_that_cannot_be_kept_leaves_the_store_writable(tmp_path: Path):
    nameless = cast("Any", {**make_answer("q", "a"), "thread": "\ud800"})
    with TraceStore(Settings(home=tmp_path)) as store, TraceStore(Settings(home=tmp_path)) as other:
        with pytest.raises(UsageError, match="Unicode"):
            store.keep("t0001", events(), nameless)
        other.keep("t0002", events(), make_answer("second", "b"))
        store.keep("t0003", events(), make_answer("third", "c"))
        assert [row["trace_id"] for row in store.summaries()] == ["t0003", "t0002"]


def ids(store: TraceStore, thread: str | None = None) -> list[str]:
    return [row["trace_id"] for row in store.summaries(100, thread)]


@pytest.mark.parametrize(
    ("bound", "kept"),
    [({"trace_days": 30}, ["day33", "day32", "day16"]), ({"trace_keep": 1}, ["day33"])],
)
def test_traces_are_bounded_by_days_and_by_number(tmp_path, monkeypatch, bound, kept):
    with TraceStore(Settings(home=tmp_path, **bound)) as store:
        for day in (0, 16, 32, 33):
            now = 1.8e9 + day * 86_400
            monkeypatch.setattr("state.trace_store.time.time", lambda now=now: now)
            store.keep(f"day{day}", events(), make_answer())
        assert ids(store) == kept


def test_what_is_deleted_is_gone_from_the_file(tmp_path: Path):
    with TraceStore(Settings(home=tmp_path)) as store:
        store.keep("a", events(), make_answer("a secret question", thread="one"))
        store.keep("b", events(), make_answer("another", thread="two"))
        assert ids(store, thread="one") == ["a"]
        store.delete_thread("one")
        assert ids(store) == ["b"]
    held = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"traces" in held
    assert b"secret" not in held
