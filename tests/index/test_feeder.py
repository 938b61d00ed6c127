"""The process that writes Chroma: whatever becomes of it, every vector is there in the end."""

import os
import resource
import select
import signal
import subprocess
import sys
from contextlib import closing

import pytest
from index_samples import EMBEDDER, document, ill_parts, open_collection, open_writer, part

from rag.child_process import Child
from rag.index.chroma import VectorsDamaged

IDENTITY = EMBEDDER.identity


@pytest.fixture
def started(monkeypatch):
    """The processes that were started to feed a store; small ingests start one, too."""
    monkeypatch.setattr("rag.index.feeder.START_CHUNKS", 30)
    monkeypatch.setattr("rag.index.collection_writer.GROUP_CHUNKS", 20)
    made = []

    def child(module):
        made.append(Child(module))
        return made[-1]

    monkeypatch.setattr("rag.index.feeder.Child", child)
    return made


def ingest(home, started=(), disturb=None):
    lines = []
    with open_writer(home, "default", IDENTITY, notice=lines.append) as writer:
        for number in range(60):
            text = f"The comet of number {number} is described here."
            writer.put(document(f"doc{number}"), [part(f"doc{number}", text)])
        if disturb is not None:
            disturb(started[0].process)
    return lines


def check(home):
    assert ill_parts(home) == []
    with closing(open_collection(home, "default", EMBEDDER)) as reader:
        assert len(reader.search("comet", 100)) == 60


def test_it_has_fed_the_store_in_the_end(tmp_path, started):
    assert ingest(tmp_path) == []
    assert len(started) == 1
    check(tmp_path)


def test_what_is_replaced_and_removed_while_it_feeds_is_not_in_the_store(tmp_path, started):
    for _ in range(2):
        with open_writer(tmp_path, "default", IDENTITY) as writer:
            for number in [*range(90), *range(70)]:
                text = f"The comet of number {number} is described here."
                writer.put(document(f"doc{number}"), [part(f"doc{number}", text)])
            writer.flush()
            started[-1].pipe.poll(0.5)  # it may feed some of it
            writer.remove([f"doc{number}" for number in range(60, 90)])
    check(tmp_path)


@pytest.mark.usefixtures("started")
def test_a_damaged_store_is_told_of_and_built_again(tmp_path):
    ingest(tmp_path)
    (path,) = tmp_path.glob("vectors/*/*/chroma.sqlite3")
    path.write_bytes(b"scrambled")
    (line,) = ingest(tmp_path)
    assert line.startswith("Chroma's index is damaged (")
    check(tmp_path)


def test_its_death_costs_no_vector(tmp_path, started):
    lines = ingest(tmp_path, started, subprocess.Popen.kill)
    assert len(lines) <= 1  # none where it had not begun
    assert all("left half-written; building it again" in line for line in lines)
    check(tmp_path)


def test_one_that_stops_answering_is_given_up(tmp_path, started, monkeypatch):
    monkeypatch.setattr("rag.index.feeder._SILENT_SECONDS", 0.2)
    ingest(tmp_path, started, lambda process: process.send_signal(signal.SIGSTOP))
    assert started[0].process.returncode == -signal.SIGKILL
    check(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="another process's limit is set")
def test_what_it_may_not_do_is_done_here(tmp_path, started):
    limits = resource.RLIMIT_NOFILE, (20, 20)
    ingest(tmp_path, started, lambda process: resource.prlimit(process.pid, *limits))
    check(tmp_path)


@pytest.mark.usefixtures("started")
def test_where_no_process_can_be_started_it_is_done_here(tmp_path, monkeypatch):
    def none(_module):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("rag.index.feeder.Child", none)
    assert ingest(tmp_path) == []
    check(tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends with its pipe")
def test_a_killed_parent_takes_it_along(tmp_path):
    code = (
        "import sys, os, signal; from pathlib import Path; from index_samples import EMBEDDER;"
        "from rag.index.feeder import VectorFeeder; from rag.index.chroma_place import ChromaPlace;"
        "feeder = VectorFeeder(ChromaPlace(Path(sys.argv[1]), 1, 'uid', EMBEDDER.identity), print);"
        "feeder.expect(1_000);"
        "print(feeder._child.process.pid, flush=True);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(  # noqa: PLW1510 - it is killed
        [sys.executable, "-c", code, str(tmp_path)], env=environment, stdout=subprocess.PIPE
    )
    assert done.returncode == -signal.SIGKILL
    # A handle on the process, if it is there still, that can be waited for.
    try:
        handle = os.pidfd_open(int(done.stdout))
    except ProcessLookupError:
        return
    assert select.select([handle], [], [], 10)[0]
    os.close(handle)


def test_a_store_that_fails_twice_is_said_in_words_and_the_catalog_is_whole(tmp_path, monkeypatch):
    def fails(*_values):
        raise VectorsDamaged("the process that wrote it died")

    monkeypatch.setattr("rag.index.chroma_vectors.ChromaVectors.upsert", fails)
    lines = []
    with open_writer(tmp_path, "default", IDENTITY, notice=lines.append) as writer:
        writer.put(document("whale.md"), iter([part("whale.md", "The whale.")]))
    assert "could not be written (the process" in lines[-1]
    with closing(open_collection(tmp_path, "default", EMBEDDER)) as reader:
        assert reader.search("whale", 1)[0]["source"] == "whale.md"
        assert reader.dense_searched.startswith("catalog")
    monkeypatch.undo()
    with open_writer(tmp_path, "default", IDENTITY):
        pass
    assert ill_parts(tmp_path) == []
