"""Reading processes that hang, crash or die idle: their file fails, the rest goes on."""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from rag import child_process
from rag.index.protocol import UnreadFile
from rag.ingest import pool
from rag.ingest.file_text import FileText, ReadTask, read_file
from rag.ingest.pool import Worker, read_files

# A worker whose reader does what the file's name says.
BADLY = """
import os, sys, time
sys.path.append(sys.argv[1])
import rag.ingest.file_text as worker
true_read = worker.read_file
def read_file(task, beat):
    name = os.path.basename(task.path)
    if name.startswith("hang"):
        open(os.path.join(os.path.dirname(task.path), "hanging"), "w").close()
        time.sleep(600)
    while name.startswith("long"):
        open(os.path.join(os.path.dirname(task.path), "hanging"), "w").close()
        time.sleep(0.2)
        beat()
    if name.startswith("crash"):
        os.kill(os.getpid(), 11)
    if name.startswith("exit"):
        print("noise on stdout", flush=True)
        os._exit(3)
    return true_read(task, beat)
worker.read_file = read_file
worker.main(*sys.argv[2:])
"""


@pytest.fixture
def _bad_workers(monkeypatch):
    root = str(Path(pool.__file__).resolve().parents[2])
    own = [sys.executable, "-P", "-c", BADLY, root]
    monkeypatch.setattr(child_process, "child_command", lambda _module, *given: [*own, *given])


def files(folder: Path, *names: str) -> list[ReadTask]:
    for name in names:
        (folder / name).write_text(f"The text of {name}.")
    return [task(folder / name) for name in names]


def task(path: Path) -> ReadTask:
    return ReadTask(str(path), path.stat().st_size, path.name, str(path.parent))


def name_of(outcome) -> str:
    return Path(outcome.path if isinstance(outcome, UnreadFile) else outcome.document.path).name


def skip_time_once_there_is(file: Path, seconds: float, monkeypatch) -> None:
    """Nobody waits for a worker to have hung for long enough, once it surely does."""

    def clock() -> float:
        return time.monotonic() + seconds * file.exists()

    monkeypatch.setattr(pool, "time", SimpleNamespace(monotonic=clock))


@pytest.mark.usefixtures("_bad_workers")
def test_a_reader_that_goes_on_and_on_is_stopped(tmp_path, monkeypatch):
    skip_time_once_there_is(tmp_path / "hanging", pool.LONGEST_SECONDS, monkeypatch)
    tasks = files(tmp_path, "long.md", "a.md")
    with read_files(tasks, workers=1, stall_seconds=1e9) as outcomes:
        found = {name_of(outcome): outcome for outcome in outcomes if outcome}
    assert found["long.md"].reason == "takes too long to read"
    assert isinstance(found["a.md"], FileText)


@pytest.mark.usefixtures("_bad_workers")
def test_a_reader_that_hangs_or_crashes_costs_its_own_file(tmp_path, monkeypatch):
    skip_time_once_there_is(tmp_path / "hanging", 10, monkeypatch)
    # First, so that the clock is skipped after a look at it and never before.
    names = ["hang.md", "a.md", "b.md", "crash.md", "c.md", "exit.md", "d.md"]
    tasks = files(tmp_path, *names)
    with read_files(tasks, workers=1, stall_seconds=10) as outcomes:
        found = {name_of(outcome): outcome for outcome in outcomes if outcome}
    assert sorted(found) == sorted(names)
    reasons = {name: o.reason for name, o in found.items() if isinstance(o, UnreadFile)}
    assert reasons == {
        "hang.md": "the reader hung for 10 s and was stopped",
        "crash.md": "the reader crashed (Segmentation fault)",
        "exit.md": "the reader crashed (exit status 3)",
    }
    text = found["d.md"]
    assert isinstance(text, FileText)
    assert next(text.parts()).text == "The text of d.md."


def test_a_worker_that_died_idle_is_replaced(tmp_path):
    tasks = files(tmp_path, "a.md", "b.md")
    reader = Worker(30)

    def answer(to: ReadTask):
        reader.give([to])
        return reader.take(ready=reader.child.pipe.poll(30))

    try:
        assert isinstance(answer(tasks[0]), FileText)
        process = reader.child.process
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert isinstance(answer(tasks[1]), FileText)
    finally:
        reader.end()


@pytest.mark.usefixtures("_bad_workers")
def test_leaving_early_ends_every_process(tmp_path):
    tasks = files(tmp_path, "hang1.md", "hang2.md", "a.md")
    before = set(threading.enumerate())
    with read_files(tasks, workers=2, stall_seconds=600) as outcomes:
        assert next(outcomes) is None
    assert set(threading.enumerate()) <= before


def test_a_long_document_comes_in_parts_that_are_its_text(tmp_path):
    text = "".join(f"Line {number} of a long log.\n" for number in range(12_000))
    (tmp_path / "long.txt").write_text(text)
    outcome = read_file(task(tmp_path / "long.txt"), lambda: None)
    assert isinstance(outcome, FileText)
    parts = list(outcome.parts())
    assert len(parts) > 2
    assert "".join(part.text for part in parts) == text
    assert sum(len(part.chunks) for part in parts) == outcome.document.chunk_count
    end = 0
    for part in parts:
        end += len(part.text)
        assert all(chunk.end_char <= end for chunk in part.chunks)
        assert all(text[p.start_char : p.end_char] == p.text for p in part.chunks)


def test_a_file_that_changes_is_told_and_tried_again_next_time(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("0")
    outcome = read_file(task(path), lambda: path.write_text("01"))
    assert isinstance(outcome, UnreadFile)
    assert "changed while it was read" in outcome.reason
    assert not outcome.reading


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends with its pipe")
def test_one_whose_parent_is_killed_while_it_starts_ends_with_it(tmp_path):
    slow = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    (tmp_path / "slow_module.py").write_text(slow)
    code = (
        "import os, signal, subprocess, sys; from rag.child_process import child_command;"
        "child = subprocess.Popen(child_command('slow_module'), stdout=subprocess.PIPE);"
        "print(int(child.stdout.readline()), flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    paths = [str(Path(pool.__file__).resolve().parents[2]), str(tmp_path)]
    done = subprocess.run(  # noqa: PLW1510 - it is killed
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
    )
    try:
        handle = os.pidfd_open(int(done.stdout))
    except ProcessLookupError:
        return
    assert select.select([handle], [], [], 5)[0]
    os.close(handle)
