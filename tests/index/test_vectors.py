import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest
from index_samples import EMBEDDER, Score, document, ill_parts, open_collection, open_writer, part

from rag.doctor.indexes import repair_collections
from rag.index import dense, vectors
from rag.index.local_store import LocalStore
from rag.index.vector_place import VectorPlace
from state.errors import NoIndexError, StoreBusyError

TOPICS = ["whale", "railway", "bakery", "glacier", "violin", "harbour", "orchard", "comet"]


def write(home, count=40, first=0):
    with open_writer(home, "default", EMBEDDER.identity) as writer:
        for number in range(first, first + count):
            topic = TOPICS[number % len(TOPICS)]
            text = f"The {topic} of number {number} is described here.\n\nMore on {topic} {number}."
            writer.put(document(f"doc{number}"), [part(f"doc{number}", text)])


class NoModel:
    """An embedder that embeds queries only."""

    identity = EMBEDDER.identity
    embed_query = staticmethod(EMBEDDER.embed_query)

    def embed_documents(self, _texts):
        raise AssertionError("a repair must not embed")


def search(home, query="comet near the harbour", k=10):
    """What a new reader finds and what it has to say."""
    lines = []
    reader = open_collection(home, "default", NoModel(), notice=lines.append)
    found = [(chunk["chunk_id"], Score(chunk["score"])) for chunk in reader.search(query, k)]
    reader.close()
    return found, lines


def folder(home):
    (uid,) = (home / "vectors").iterdir()
    (generation,) = uid.iterdir()
    return generation


@pytest.mark.parametrize("count", [40, 1_500])
def test_what_lay_in_memory_is_not_written_along(tmp_path, count):
    secrets = [b"\xaa" * size for size in (116_367, 116_900, 120_000) for _ in range(200)]
    between = secrets[::2]
    del secrets  # leaves holes of about the size with the secret in them
    write(tmp_path, count)
    del between
    (index,) = folder(tmp_path).glob("*/data_level0.bin")
    _, _, _, held, size = struct.unpack_from("<i4Q", index.with_name("header.bin").read_bytes())
    assert held in (0, 2 * count)  # few are kept in its log instead
    lengths = index.with_name("length.bin").read_bytes()
    assert len(lengths) >= held * 4
    assert not any(lengths[held * 4 :])
    assert index.stat().st_size >= held * size
    assert not any(index.read_bytes()[held * size :])


def remove_all(home):
    shutil.rmtree(home / "vectors")


def cut_database(home):
    with (folder(home) / "chroma.sqlite3").open("r+b") as file:
        file.truncate(5_000)


def scramble_database(home):
    (folder(home) / "chroma.sqlite3").write_bytes(os.urandom(20_000))


def lose_the_index(home):
    for segment in folder(home).iterdir():
        if segment.is_dir():
            shutil.rmtree(segment)
    with closing(sqlite3.connect(folder(home) / "chroma.sqlite3")) as connection, connection:
        connection.execute("DELETE FROM embeddings")


def add_a_stranger(home):
    store = vectors.open_folder(folder(home), EMBEDDER.identity)
    store.upsert([999_999], EMBEDDER.embed_documents(["stranger"]))
    store.close()


def change_the_token(home):
    store = vectors.open_folder(folder(home), EMBEDDER.identity)
    store.seal("another write")
    store.close()


def flip_bits(path, count, seed):
    """Flips so many random bits of a file."""
    data = bytearray(path.read_bytes())
    for bit in random.Random(seed).choices(range(len(data) * 8), k=count):
        data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


def leave_it_dirty(home):
    with closing(sqlite3.connect(home / "catalog.sqlite")) as connection, connection:
        connection.execute("UPDATE vector_stores SET dirty = 1")


def fill_the_disk(home):
    with (folder(home) / "link_lists.bin").open("wb") as file:
        file.write(b"x" * 70_000_000)


@pytest.mark.parametrize(
    "damage",
    [
        remove_all,
        cut_database,
        scramble_database,
        lose_the_index,
        add_a_stranger,
        change_the_token,
        leave_it_dirty,
        fill_the_disk,
    ],
)
def test_of_a_damaged_store_the_catalog_is_searched_until_it_is_built_again(tmp_path, damage):
    write(tmp_path)
    sound, lines = search(tmp_path)
    assert lines == []
    damage(tmp_path)
    found, lines = search(tmp_path)
    assert found == sound
    assert ill_parts(tmp_path) == ["default: vectors"]
    # One that was left half-written may be being written.
    assert ["crag doctor --repair" in line for line in lines] == [True] * (
        damage is not leave_it_dirty
    )
    lines = []
    repair_collections(tmp_path, lines.append)
    assert lines[0] == "default: building the vectors again"
    assert search(tmp_path) == (sound, [])
    assert ill_parts(tmp_path) == []


@pytest.mark.parametrize("count", [1, 50])
def test_flipped_bits_of_a_saved_graph_never_reach_chroma(tmp_path, count):
    """Fifty of them ended the process that opened it; one goes unseen, and a vector is another."""
    write(tmp_path, count=700)  # two chunks each: more than Chroma keeps unsaved
    sound, lines = search(tmp_path)
    assert lines == []
    saved = [each for each in folder(tmp_path).glob("*/*") if each.parent.name != "near"]
    names = {each.name for each in saved if each.stat().st_size}
    assert "data_level0.bin" in names
    for name in names:
        (path,) = folder(tmp_path).glob(f"*/{name}")
        flip_bits(path, count, seed=count)
        assert ill_parts(tmp_path) == ["default: vectors"], name
        found, lines = search(tmp_path)
        # The last candidates, which the scores are scaled by, are others than the graph's.
        assert [chunk_id for chunk_id, _ in found] == [chunk_id for chunk_id, _ in sound]
        assert ["crag doctor --repair" in line for line in lines] == [True]
        repair_collections(tmp_path, lines.append)
        assert search(tmp_path)[1] == []
    assert ill_parts(tmp_path) == []


def test_doctor_finds_flipped_bits_of_a_stores_database(tmp_path):
    write(tmp_path)
    path = folder(tmp_path) / "chroma.sqlite3"
    sound = path.read_bytes()
    for seed in range(20):
        flip_bits(path, 50, seed)
        assert ill_parts(tmp_path) == ["default: vectors"], seed
        path.write_bytes(sound)
    assert ill_parts(tmp_path) == []


def test_chroma_and_the_exact_leg_agree(tmp_path, monkeypatch):
    write(tmp_path)
    from_chroma, _ = search(tmp_path)
    monkeypatch.setattr(dense.DenseLeg, "prepare", lambda *_: None)
    assert search(tmp_path)[0] == from_chroma


def test_a_reader_follows_what_is_written_under_it(tmp_path):
    write(tmp_path)
    reader = open_collection(tmp_path, "default", EMBEDDER)
    assert reader.search("a violin", 1)
    write(tmp_path, count=120, first=40)
    assert {chunk["source"] for chunk in reader.search("comet number 159", 1)} == {"doc159"}
    with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
        writer.remove(["doc159"])
    assert "doc159" not in {chunk["source"] for chunk in reader.search("comet 159", 200)}
    assert len(reader.search("anything", 400)) >= 200
    reader.close()


def test_a_reader_answers_exactly_while_a_writer_holds_the_store(tmp_path):
    write(tmp_path)
    sound, _ = search(tmp_path)
    with open_writer(tmp_path, "default", EMBEDDER.identity):
        leave_it_dirty(tmp_path)
        assert search(tmp_path) == (sound, [])


def test_a_write_while_chroma_is_opened_is_not_called_damage(tmp_path, monkeypatch):
    write(tmp_path)
    opened = VectorPlace.open

    def slowly(place, state):
        monkeypatch.undo()
        write(tmp_path, count=120, first=40)
        return opened(place, state)

    monkeypatch.setattr(VectorPlace, "open", slowly)
    found, lines = search(tmp_path)
    assert lines == []
    assert found == search(tmp_path)[0]


def test_a_small_change_leaves_chroma_alone_and_is_found_all_the_same(tmp_path):
    write(tmp_path)
    before = sorted((path, path.stat().st_mtime_ns) for path in folder(tmp_path).rglob("*"))
    write(tmp_path, count=1, first=99)
    after = sorted((path, path.stat().st_mtime_ns) for path in folder(tmp_path).rglob("*"))
    assert after == before
    reader = open_collection(tmp_path, "default", EMBEDDER)
    best = reader.search("glacier 99", 1)[0]
    assert (best["source"], best["dense_rank"] is not None) == ("doc99", True)
    reader.close()


def test_removed_vectors_leave_chroma_with_the_next_larger_change(tmp_path):
    write(tmp_path)
    with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
        writer.remove([f"doc{number}" for number in range(39)])
    store = vectors.open_folder(folder(tmp_path), EMBEDDER.identity)
    assert store.count() == 2
    store.close()


def test_a_long_ingest_feeds_the_store_meanwhile(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.index.feeder.START_CHUNKS", 30)
    monkeypatch.setattr("rag.index.collection_writer.GROUP_CHUNKS", 20)
    write(tmp_path, count=60)
    store = vectors.open_folder(folder(tmp_path), EMBEDDER.identity)
    assert store.count() == 120
    store.close()
    assert search(tmp_path)[1] == []


def test_an_interrupted_ingest_keeps_what_was_whole_and_stops_soon(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.index.feeder.START_CHUNKS", 30)
    monkeypatch.setattr("rag.index.collection_writer.GROUP_CHUNKS", 20)

    def interrupted():
        with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
            for number in range(40):
                text = f"The comet of number {number}.\n\nTail {number} is long."
                writer.put(document(f"doc{number}"), [part(f"doc{number}", text)])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    reader = open_collection(tmp_path, "default", EMBEDDER)
    assert reader.document_count == 40
    assert len(reader.search("comet", 100)) == 80
    reader.close()


def test_a_zero_vector_does_no_harm(tmp_path):
    with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
        piece = part("zero", "Whales sing.\n\nTrains run.")
        blank = type(piece)(piece.text, piece.chunks, np.zeros_like(piece.vectors))
        writer.put(document("zero"), [blank])
    reader = open_collection(tmp_path, "default", EMBEDDER)
    found = reader.search("whales", 2)
    assert found[0]["text"] == "Whales sing."
    assert all(np.isfinite(chunk["score"]) for chunk in found)
    reader.close()


def test_rubbish_around_us_does_not_reach_chroma(tmp_path):
    home = tmp_path / "home"
    write(home)
    (tmp_path / ".env").write_bytes(b"\xff\xfe CHROMA_SERVER_HTTP_PORT=abc\n")
    code = (
        "import sys; from pathlib import Path; from rag.embed.builtin import BuiltinEmbedder;"
        "from index_samples import open_collection;"
        "lines = []; r = open_collection(Path(sys.argv[1]), 'default', BuiltinEmbedder(),"
        " notice=lines.append); print(len(r.search('comet', 3)), lines, 'chromadb' in sys.modules)"
    )
    rubbish = {"CHROMA_SERVER_HTTP_PORT": "abc", "IS_PERSISTENT": "maybe", "MIGRATIONS": "?"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)],
        cwd=tmp_path,
        env={**os.environ, **rubbish, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("3 [] True\n", 0), done.stderr


def test_a_deleted_collection_is_gone_with_its_vectors(tmp_path):
    write(tmp_path)
    with (
        open_writer(tmp_path, "default", EMBEDDER.identity),
        pytest.raises(StoreBusyError),
    ):
        LocalStore(tmp_path).delete("default")
    LocalStore(tmp_path).delete("default")
    assert list((tmp_path / "vectors").rglob("*.*")) == []
    with pytest.raises(NoIndexError):
        open_collection(tmp_path, "default", EMBEDDER)
    with pytest.raises(NoIndexError):
        LocalStore(tmp_path).delete("default")
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as connection:
        for table in ("documents", "chunks", "vectors", "blocks", "vector_stores"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_a_lost_lexical_index_is_seen_and_mended(tmp_path):
    write(tmp_path)
    with closing(sqlite3.connect(tmp_path / "catalog.sqlite")) as connection, connection:
        connection.execute("INSERT INTO lexical_1 (lexical_1) VALUES ('delete-all')")
    assert ill_parts(tmp_path) == ["default: lexical index"]
    lines = []
    repair_collections(tmp_path, lines.append)
    assert ill_parts(tmp_path) == []
    assert len(lines) == 1
