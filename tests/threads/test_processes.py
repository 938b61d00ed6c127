"""Several processes on one store, and processes killed in the middle of it."""

import os
import random
import subprocess
import sys

import pytest
from forked import last_told, started
from turn_child import append
from turn_samples import make_answer, open_turn_store

from state.home_db import HomeDb


def test_two_processes_on_one_thread_lose_nothing(tmp_path, url):
    writers = [started(append, str(tmp_path), url, name, 50) for name in ("left", "right")]
    for _, writer in writers:
        writer.send("go")
    told = [[writer.recv() for _ in range(50)] for _, writer in writers]
    with open_turn_store(tmp_path, url) as store:
        turns = list(store.turns("shared"))
    assert [turn.number for turn in turns] == list(range(1, 101))
    assert sorted(told[0] + told[1]) == list(range(1, 101))
    for name, numbers in zip(("left", "right"), told, strict=True):
        mine = [turn for turn in turns if turn.answer["question"].startswith(name)]
        assert [turn.answer["question"] for turn in mine] == [f"{name} {n}" for n in range(50)]
        assert [turn.number for turn in mine] == numbers


@pytest.mark.parametrize("rounds", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_killed_writer_loses_no_finished_turn(tmp_path, url, rounds):
    rng = random.Random(rounds)
    finished = 0
    for _ in range(rounds):
        process, writer = started(append, str(tmp_path), url, "killed", 10_000)
        writer.send("go")
        for _ in range(rng.randrange(1, 12)):
            finished = writer.recv()
        for _ in range(rng.randrange(2000)):  # somewhere within the next append
            os.getpid()
        finished = last_told(process, writer, finished)
        with open_turn_store(tmp_path, url) as store:
            kept = [turn.number for turn in store.turns("shared")]
            assert kept == list(range(1, len(kept) + 1))
            assert finished <= len(kept) <= finished + 1
            finished = store.append("shared", make_answer())
            assert finished == len(kept) + 1


def test_a_process_that_opens_the_file_twice_keeps_its_locks(tmp_path):
    """Whoever closes the file last takes its log away; who has no lock on it is not seen."""
    reads = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]);"
        "db.execute('select * from traces').fetchall(); db.close()"
    )
    with HomeDb(tmp_path) as one, HomeDb(tmp_path) as other:
        one.connected()
        assert not one.integrity_errors()
        other.connected()
        subprocess.run([sys.executable, "-c", reads, one.path], check=True)
        assert one.path.with_name("home.db-wal").exists()
