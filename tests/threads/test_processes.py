"""Several processes on one store, and processes killed in the middle of it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from postgres_server import fresh_schema
from turn_samples import make_answer

from state.shared_place import open_turn_store

ROOT = Path(__file__).parents[2]

WRITER = """
import sys
from pathlib import Path
sys.path.insert(0, "tests/support")
from state.shared_place import open_turn_store
from turn_samples import real_looking_answer
home, url, name, count = sys.argv[1:]
sys.stdin.readline()
with open_turn_store(Path(home), url or None) as store:
    for turn in range(int(count)):
        answer = real_looking_answer(turn)
        answer["question"] = f"{name} {turn}"
        number = store.append("shared", answer)
        print(number, flush=True)
"""


def start_writer(home, url, name, count):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(home), url or "", name, str(count)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    if request.param == "sqlite":
        return None
    return fresh_schema(request.getfixturevalue("postgres").url)


def test_two_processes_on_one_thread_lose_nothing(tmp_path, url):
    writers = [start_writer(tmp_path, url, name, 50) for name in ("left", "right")]
    for writer in writers:
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    told = [[int(n) for n in writer.communicate(timeout=120)[0].split()] for writer in writers]
    with open_turn_store(tmp_path, url) as store:
        turns = list(store.turns("shared"))
    assert [turn.number for turn in turns] == list(range(1, 101))
    assert sorted(told[0] + told[1]) == list(range(1, 101))
    for name, numbers in zip(("left", "right"), told, strict=True):
        mine = [turn for turn in turns if turn.answer["question"].startswith(name)]
        assert [turn.answer["question"] for turn in mine] == [f"{name} {n}" for n in range(50)]
        assert [turn.number for turn in mine] == numbers


@pytest.mark.parametrize(
    "rounds", [6, pytest.param(200, marks=pytest.mark.slow)], ids=["short", "long"]
)
def test_killed_writer_loses_no_finished_turn(tmp_path, url, rounds):
    rng = random.Random(rounds)
    finished = 0
    for _ in range(rounds):
        writer = start_writer(tmp_path, url, "killed", 10_000)
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
        told = 0
        stop_after = rng.randrange(1, 12)
        while told < stop_after:
            finished = int(writer.stdout.readline())
            told += 1
        for _ in range(rng.randrange(2000)):  # somewhere within the next append
            os.getpid()
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split(b"\n")[:-1]
        writer.wait(30)
        writer.stdin.close()
        writer.stdout.close()
        finished = int(rest[-1]) if rest else finished
        with open_turn_store(tmp_path, url) as store:
            kept = [turn.number for turn in store.turns("shared")]
            assert kept == list(range(1, len(kept) + 1))
            assert finished <= len(kept) <= finished + 1
            finished = store.append("shared", make_answer())
            assert finished == len(kept) + 1
