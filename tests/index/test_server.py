import shutil
import time

import pytest
from chroma_server import running_chroma
from index_samples import EMBEDDER, document, part

from rag.index.chroma_server import connect_server
from rag.index.collection import open_collection
from rag.index.removal import delete_collection
from rag.index.writer import open_writer
from state.errors import RemoteStoreError, SettingsError

TEXTS = {f"doc{n}": f"Lantern {n} lights the harbour.\n\nIts keeper is {n}." for n in range(60)}


def write(home, store, texts=TEXTS):
    with open_writer(home, "default", EMBEDDER.identity, store=store) as writer:
        for source, text in texts.items():
            writer.put(document(source), [part(source, text)])


def search(home, store, query="keeper of lantern 7"):
    lines = []
    reader = open_collection(home, "default", EMBEDDER, store=store, notice=lines.append)
    found = [(chunk["chunk_id"], round(chunk["score"], 3)) for chunk in reader.search(query, 9)]
    reader.close()
    return found, lines


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_chroma(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def url(server):
    """With nothing there: a name belongs to the home that put it there first."""
    client = connect_server(server)
    for collection in client.list_collections():
        client.delete_collection(collection.name)
    client.close()
    return server


def test_a_server_takes_the_folders_place(tmp_path, url, monkeypatch):
    # Loopback is never behind a proxy.
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    write(tmp_path / "served", url)
    write(tmp_path / "local", None)
    assert not (tmp_path / "served" / "vectors").exists()
    served, lines = search(tmp_path / "served", url)
    assert (served, lines) == search(tmp_path / "local", None)


def test_another_machine_with_a_copy_of_the_catalog_asks_the_same_server(tmp_path, url):
    write(tmp_path / "one", url)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    assert search(tmp_path / "two", url) == search(tmp_path / "one", url)
    # It goes its own way: neither may be answered from the other's vectors.
    write(tmp_path / "two", url, {f"new{n}": f"A windmill {n}." for n in range(90)})
    assert search(tmp_path / "two", url, "windmill 80")[0]
    found, lines = search(tmp_path / "one", url)
    assert found == search(tmp_path / "one", None)[0]
    assert len(lines) <= 1


def test_vectors_lost_on_the_server_are_sent_again(tmp_path, url):
    import chromadb

    write(tmp_path, url)
    sound, _ = search(tmp_path, url)
    client = chromadb.HttpClient(host="127.0.0.1", port=int(url.rsplit(":", 1)[1]))
    for collection in client.list_collections():
        client.delete_collection(collection.name)
    found, lines = search(tmp_path, url)
    assert found == sound
    assert len(lines) == 1
    delete_collection(tmp_path, "default")
    assert client.list_collections() == []


def test_a_server_that_is_not_there_is_said_within_seconds(tmp_path):
    write(tmp_path, None)
    started = time.monotonic()
    with pytest.raises(RemoteStoreError, match="cannot be reached"):
        search(tmp_path, "http://127.0.0.1:9")
    assert time.monotonic() - started < 30
    with pytest.raises(SettingsError, match="no URL"):
        search(tmp_path, "localhost:8000")


def test_an_ingest_whose_server_fails_keeps_the_catalog(tmp_path):
    with pytest.raises(RemoteStoreError):
        write(tmp_path, "http://127.0.0.1:9")
    found, lines = search(tmp_path, None)
    assert len(found) == 9
    assert lines == []
