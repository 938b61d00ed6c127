"""The process that writes Chroma: it does what a store here does, and dies with its parent."""

import os
import resource
import select
import signal
import subprocess
import sys

import numpy as np
import pytest
from index_samples import EMBEDDER, document, ill_parts, open_collection, open_writer, part

from rag.index import vectors
from rag.index.chroma import VectorsDamaged
from rag.index.vector_process import VectorProcess
from state.errors import StorageError

IDENTITY = EMBEDDER.identity


def rows(count):
    return np.eye(count, IDENTITY.dimension, dtype=np.float32)


def test_what_it_wrote_is_a_folder_of_vectors(tmp_path):
    written = VectorProcess().open(tmp_path, IDENTITY, create=True)
    written.upsert([1, 2, 3], rows(3))
    written.delete([2])
    written.seal("token")
    assert written.count() == 2
    written.close()
    with vectors.open_folder(tmp_path, IDENTITY, ("token", 2)) as store:
        assert [number for number, _ in store.nearest(rows(3)[2], 1)] == [3]
    for other in (("token", 3), ("another", 2)):
        with pytest.raises(VectorsDamaged, match="not what was last written"):
            VectorProcess().open(tmp_path, IDENTITY, other)
    VectorProcess().open(tmp_path, IDENTITY, ("token", 2)).close()


def test_damage_and_a_read_only_place_are_told_as_here(tmp_path):
    with pytest.raises(VectorsDamaged, match="missing"):
        VectorProcess().open(tmp_path / "none", IDENTITY, create=False)
    written = VectorProcess().open(tmp_path / "one", IDENTITY, create=True)
    with pytest.raises(VectorsDamaged):
        written.upsert([], rows(0))
    os.kill(written._child.process.pid, signal.SIGKILL)
    with pytest.raises(VectorsDamaged, match="died"):
        written.count()
    written.close()


def test_one_that_stops_answering_is_given_up(tmp_path, monkeypatch):
    written = VectorProcess().open(tmp_path, IDENTITY, create=True)
    monkeypatch.setattr("rag.index.vector_process._ANSWER_SECONDS", 0.2)
    os.kill(written._child.process.pid, signal.SIGSTOP)
    with pytest.raises(VectorsDamaged, match="stopped answering"):
        written.count()
    written.close()
    assert written._child.process.returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="another process's limit is set")
def test_a_failure_of_ours_crosses_with_its_words(tmp_path):
    starved = VectorProcess()
    resource.prlimit(starved._child.process.pid, resource.RLIMIT_NOFILE, (20, 20))
    with pytest.raises(StorageError, match=r"this process may have 20\. .*ulimit -n 256"):
        starved.open(tmp_path, IDENTITY, create=True)


def test_its_death_costs_no_vector(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.index.feeder.START_CHUNKS", 30)
    monkeypatch.setattr("rag.index.writer.GROUP_CHUNKS", 20)
    monkeypatch.setattr(VectorProcess, "upsert", lambda self, *_: self._child.process.kill())
    with open_writer(tmp_path, "default", IDENTITY) as writer:
        for number in range(60):
            text = f"The comet of number {number} is described here."
            writer.put(document(f"doc{number}"), [part(f"doc{number}", text)])
    assert ill_parts(tmp_path) == []
    reader = open_collection(tmp_path, "default", EMBEDDER)
    assert len(reader.search("comet", 100)) == 60
    reader.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere it ends with its pipe")
def test_a_killed_parent_takes_it_along(tmp_path):
    code = (
        "import sys, os, signal; from pathlib import Path; from index_samples import EMBEDDER;"
        "from rag.index.vector_process import VectorProcess;"
        "made = VectorProcess().open(Path(sys.argv[1]), EMBEDDER.identity, create=True);"
        "print(made._child.process.pid, flush=True);"
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

    monkeypatch.setattr("rag.index.vectors.ChromaVectors.upsert", fails)
    with (
        pytest.raises(StorageError, match=r"cannot be built \(the process .*nothing is lost"),
        open_writer(tmp_path, "default", IDENTITY) as writer,
    ):
        writer.put(document("whale.md"), iter([part("whale.md", "The whale.")]))
    monkeypatch.undo()
    with open_writer(tmp_path, "default", IDENTITY):
        pass
    assert ill_parts(tmp_path) == []
