"""The dense leg over a Chroma server of its own, a real one."""

import shutil
import socket
import sys
from contextlib import closing
from pathlib import Path

import pytest
from index_samples import EMBEDDER, entry, open_collection, open_writer
from ports import free_port, listening

from rag.doctor.indexes import check_collections
from rag.index.home.store import HomeStore


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Its URL; collections of several homes keep apart in it."""
    chroma = Path(sys.executable).with_name("chroma")
    program = str(chroma) if chroma.exists() else shutil.which("chroma")
    if program is None:
        pytest.skip("no chroma program here")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    folder = tmp_path_factory.mktemp("server")
    with listening(port, program, "run", "--path", folder, "--host", "127.0.0.1", "--port", port):
        yield url


def write(home, url, sources=("whale", "railway", "bakery")):
    lines = []
    with open_writer(home, "default", url, notice=lines.append) as writer:
        for name in sources:
            writer.put_all([entry(name, f"All about the {name}.")])
    return lines


def searched(home, url):
    lines = []
    given = {"chroma_url": url, "notice": lines.append}
    with closing(open_collection(home, "default", **given)) as reader:
        return {hit["source"] for hit in reader.search("a whale", 9)}, reader.dense_searched, lines


def test_it_answers_and_follows_every_change(server, tmp_path):
    assert write(tmp_path, server) == []
    assert not (tmp_path / "vectors").exists()
    *_, vectors = check_collections(tmp_path, EMBEDDER.identity, server)
    assert (vectors.ok, vectors.detail) == (True, "in Chroma")
    assert searched(tmp_path, server) == ({"whale", "railway", "bakery"}, "chroma", [])
    with open_writer(tmp_path, "default", server) as writer:
        writer.remove(["railway"])
    assert searched(tmp_path, server) == ({"whale", "bakery"}, "chroma", [])


def test_two_homes_keep_apart_and_a_deleted_collection_is_gone_from_it(server, tmp_path):
    import chromadb

    one, two = tmp_path / "one", tmp_path / "two"
    write(one, server)
    write(two, server, ["harbour"])
    assert searched(two, server)[0] == {"harbour"}
    client = chromadb.HttpClient(port=int(server.rpartition(":")[2]))
    before = client.count_collections()
    HomeStore(two, server).delete("default")
    assert client.count_collections() == before - 1
    assert searched(one, server)[1] == "chroma"


def test_one_that_cannot_be_reached_costs_one_line(server, tmp_path):
    write(tmp_path, server)
    nobody = f"http://127.0.0.1:{free_port()}"
    found, by, _ = searched(tmp_path, nobody)  # another server than the one that was written
    assert (found, by) == ({"whale", "railway", "bakery"}, "catalog (Chroma is behind the catalog)")
    (line,) = write(tmp_path / "other", nobody)
    assert line.startswith("Chroma could not be written (")
    assert searched(tmp_path / "other", nobody)[0] == {"whale", "railway", "bakery"}


def test_one_that_accepts_and_never_replies_is_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.index.home.chroma.REPLY_SECONDS", 0.2)
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        (line,) = write(tmp_path, url)
    assert line.startswith("Chroma could not be written (")
