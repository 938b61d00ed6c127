"""Checkpoints of whole turns, and nothing else, by thread."""

from contextlib import ExitStack
from typing import Any
from unittest.mock import Mock

import pytest
from langgraph.graph import START, StateGraph
from turn_samples import make_answer, open_database

from state.checkpoints import Checkpoints
from state.graph_state import GraphState, new_question
from state.home_db import HomeDb
from state.passages import to_history_turn

SECRET = "scratch-work-of-this-question"


def build(fault=None):
    """start → work → finish over the real state; `fault` raises inside work."""

    def start(state: GraphState) -> dict[str, Any]:
        return dict(new_question(state["question"]))

    def work(state: GraphState) -> dict[str, Any]:
        if fault is not None:
            raise fault
        scratch = {"generation": SECRET, "scratchpad": [SECRET], "loops": []}
        return {"loop_count": state["loop_count"] + 3, **scratch}

    def finish(state: GraphState) -> dict[str, Any]:
        turn = to_history_turn(make_answer(state["question"]), 0, milestone=False)
        return {"timeline": [turn], "scratchpad": []}

    graph = StateGraph(GraphState).add_sequence([start, work, finish])
    return graph.add_edge(START, "start")


def ask(checkpoints, question, thread="t", *, fault=None):
    with checkpoints.turn(thread) as saver:
        return run(saver, question, thread, fault)


def run(saver, question, thread="t", fault=None):
    graph = build(fault).compile(checkpointer=saver)
    config = {"configurable": {"thread_id": thread}}
    return graph.invoke({"question": question}, config, durability="exit")


def kept(checkpoints, thread="t"):
    """The values of the thread's checkpoint, as another process would load them."""
    found = list(checkpoints.saver().list({"configurable": {"thread_id": thread}}))
    assert len(found) <= 1
    return found[0].checkpoint["channel_values"] if found else None


@pytest.fixture
def place(url, tmp_path):
    """A function that opens the checkpoints anew, as another process would."""
    with ExitStack() as opened:
        yield lambda: opened.enter_context(Checkpoints(open_database(tmp_path / "home", url)))


def test_a_thread_has_one_checkpoint_and_no_writes(place):
    checkpoints = place()
    for question in ("one", "two", "three"):
        ask(checkpoints, question)
    values = kept(place())
    assert len(values["timeline"]) == 3
    assert not values["scratchpad"]
    assert set(values) <= {"timeline", "scratchpad"}, "no field of the question"


@pytest.mark.parametrize("fault", [ValueError("model"), KeyboardInterrupt()], ids=repr)
def test_a_turn_that_ends_early_leaves_no_mark(place, fault):
    ask(place(), "one")
    before = kept(place())
    with pytest.raises(type(fault)):
        ask(place(), "two", fault=fault)
    assert kept(place()) == before
    result = ask(place(), "three")
    assert [turn["question"] for turn in result["timeline"]] == ["one", "three"]
    assert result["loop_count"] == 3


def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(place, monkeypatch):
    ask(place(), "one")
    before = kept(place())
    checkpoints = place()
    monkeypatch.setattr(checkpoints.saver(), "put", Mock(side_effect=ValueError))
    with pytest.raises(ValueError):
        ask(checkpoints, "two")
    assert kept(place()) == before


def test_threads_do_not_meet_and_one_is_forgotten_alone(place):
    checkpoints = place()
    with pytest.raises(ValueError):
        ask(place(), "never", "a", fault=ValueError("model"))
    assert kept(place(), "a") is None, "a first turn that fails leaves no thread"
    for question, thread in (("one", "a"), ("uno", "b"), ("two", "a")):
        ask(checkpoints, question, thread)
    assert len(kept(checkpoints, "a")["timeline"]) == 2
    checkpoints.delete("a")
    assert kept(checkpoints, "a") is None
    assert len(kept(checkpoints, "b")["timeline"]) == 1


def test_two_turns_at_once_both_end(place):
    left, right = place(), place()
    ask(left, "zero")
    with left.turn("t") as first, right.turn("t") as second:
        run(first, "one")
        run(second, "two")
    assert len(ask(left, "three")["timeline"]) == 3
    assert len(kept(place())["timeline"]) == 3


def test_nothing_of_the_scratch_work_is_in_the_file(tmp_path):
    with Checkpoints(HomeDb(tmp_path)) as checkpoints:
        ask(checkpoints, "one")
        with pytest.raises(KeyboardInterrupt):
            ask(checkpoints, "two", fault=KeyboardInterrupt())
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert SECRET.encode() not in left
    assert b"two" not in left
