"""Checkpoints of whole turns, and nothing else, by thread."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from postgres_server import fresh_schema
from tiny_graph import SECRET, ask, build

from state.errors import RemoteStoreError, UsageError
from state.shared_place import open_checkpoints

ROOT = Path(__file__).parents[2]


def kept(checkpoints, thread="t"):
    """The values of the thread's checkpoint, as another process would load them."""
    found = list(checkpoints.saver().list({"configurable": {"thread_id": thread}}))
    assert len(found) <= 1
    return found[0].checkpoint["channel_values"] if found else None


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    """A function that opens the checkpoints anew, as another process would."""
    url = None
    if request.param == "postgres":
        url = fresh_schema(request.getfixturevalue("postgres").url)
    opened = []

    def reopen():
        opened.append(open_checkpoints(tmp_path / "home", url))
        return opened[-1]

    yield reopen
    for checkpoints in opened:
        checkpoints.close()


def test_only_the_question_is_sent_and_the_history_is_there(place):
    ask(place(), "one")
    result = ask(place(), "two")
    assert [turn["question"] for turn in result["timeline"]] == ["one", "two"]


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
        for saver, question in ((first, "one"), (second, "two")):
            graph = build().compile(checkpointer=saver)
            graph.invoke(
                {"question": question}, {"configurable": {"thread_id": "t"}}, durability="exit"
            )
    assert len(ask(left, "three")["timeline"]) == 3
    assert len(kept(place())["timeline"]) == 3


def test_nothing_of_the_scratch_work_is_in_the_file(tmp_path):
    with open_checkpoints(tmp_path) as checkpoints:
        ask(checkpoints, "one")
        with pytest.raises(KeyboardInterrupt):
            ask(checkpoints, "two", fault=KeyboardInterrupt())
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert SECRET.encode() not in left
    assert b"two" not in left


def test_bytes_stay_flat(tmp_path):
    sizes = []
    with open_checkpoints(tmp_path) as checkpoints:
        for number in range(60):
            ask(checkpoints, f"question {number:04} {'x' * 500}")
            if number in (29, 59):
                with sqlite3.connect(tmp_path / "home.db") as db:
                    sizes.append(
                        db.execute("select sum(length(checkpoint)) from checkpoints").fetchone()[0]
                    )
    assert sizes[1] <= sizes[0] * 1.01


def test_file_is_private(tmp_path):
    with open_checkpoints(tmp_path / "home") as checkpoints:
        ask(checkpoints, "one")
        for path in (tmp_path / "home").iterdir():
            assert path.stat().st_mode & 0o077 == 0


def test_postgres_that_is_not_there():
    with pytest.raises(UsageError):
        open_checkpoints(Path(), "http://h/d")
    with (
        open_checkpoints(Path(), "postgresql://me:hunter2@127.0.0.1:9/d") as checkpoints,
        pytest.raises(RemoteStoreError) as caught,
    ):
        ask(checkpoints, "one")
    assert "hunter2" not in str(caught.value)


def test_connecting_processes_set_postgres_up_together(postgres):
    url = fresh_schema(postgres.url)
    code = (
        "import sys; sys.path.insert(0, 'tests/support');"
        "from pathlib import Path; from tiny_graph import ask;"
        "from state.shared_place import open_checkpoints;"
        "sys.stdin.readline();"
        "kept = open_checkpoints(Path(), sys.argv[1]);"
        "print(len(ask(kept, 'one', sys.argv[2])['timeline']))"
    )
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", code, url, name],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    for process in asking:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate(timeout=120)[0] for process in asking] == ["1\n"] * 2
