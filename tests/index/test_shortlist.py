"""Searching few vectors without Chroma gives what reading all of them gives."""

import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest
from index_samples import EMBEDDER, Score, document, ill_parts, open_collection, open_writer, part

from rag.index import shortlist
from rag.index.shortlist import Shortlist

TOPICS = ["whale", "railway", "bakery", "glacier", "violin", "harbour", "orchard", "comet"]
QUERIES = ["comet near the harbour", "orchard 17", "what is described of a violin?", "zzz"]


def write(home, numbers, *, removed=()):
    with open_writer(home, "default", EMBEDDER.identity) as writer:
        for number in numbers:
            topic, other = TOPICS[number % 8], TOPICS[number // 8 % 8]
            text = f"The {topic} of number {number} is described here.\n\nMore on {other} {number}."
            writer.put(document(f"doc{number}"), [part(f"doc{number}", text)])
        writer.remove([f"doc{number}" for number in removed])


def nearest(home, exact_chunks=1_000):
    """What the dense leg of a new reader finds, and the names of all that it had to read."""
    with closing(open_collection(home, "default", EMBEDDER, exact_chunks=exact_chunks)) as reader:
        found = []
        for query in QUERIES:
            with reader.snapshot():
                pairs = reader._dense.nearest(reader._connection, EMBEDDER.embed_query(query), 20)
            found.append([(row, Score(cosine)) for row, cosine in pairs])
        return found


def read_all(home):
    with closing(open_collection(home, "default", EMBEDDER)) as reader:
        return [
            [
                (row, Score(cosine))
                for row, cosine in reader._dense.nearest(
                    reader._connection, EMBEDDER.embed_query(query), 20
                )
            ]
            for query in QUERIES
        ]


def file_of(home):
    (path,) = home.glob("vectors/*/*/near/*")
    return path


@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0])
def test_no_chunk_of_the_nearest_is_missing(spread):
    """Also where the vectors lie so close together that a byte a dimension cannot part them."""
    chance = np.random.default_rng(5)
    stored = chance.normal(size=(3_000, 256)) * spread + chance.normal(size=256)
    stored = (stored / np.linalg.norm(stored, axis=1, keepdims=True)).astype(np.float16)
    steps, codes = shortlist._quantized([row.tobytes() for row in stored], 256)
    short = Shortlist("token", 3_000, np.arange(3_000), steps, codes)
    exactly = stored.astype(np.float32)
    exactly /= np.linalg.norm(exactly, axis=1, keepdims=True)
    for asked in chance.normal(size=(20, 256)).astype(np.float32):
        query = asked / np.linalg.norm(asked)
        best = np.argsort(-(exactly @ query), kind="stable")[:50]
        assert set(best.tolist()) <= set(short.candidates(query, 50))


def test_a_zero_vector_does_no_harm():
    steps, codes = shortlist._quantized([np.zeros(4, np.float16).tobytes()], 4)
    short = Shortlist("token", 1, np.array([7]), steps, codes)
    assert short.candidates(np.ones(4, np.float32) / 2, 1) == [7]
    assert short.candidates(np.zeros(4, np.float32), 1) == [7]


def test_chroma_the_shortlist_and_all_vectors_give_the_same_scores(tmp_path):
    write(tmp_path, range(80))
    everything = read_all(tmp_path)
    assert nearest(tmp_path) == everything
    from_chroma = nearest(tmp_path, exact_chunks=0)
    assert [dict(found) for found in from_chroma] == [dict(found) for found in everything]


def test_what_was_added_or_removed_since_is_seen_without_a_new_file(tmp_path):
    write(tmp_path, range(200))
    before = file_of(tmp_path).read_bytes()
    write(tmp_path, range(200, 203), removed=range(5, 12))
    assert file_of(tmp_path).read_bytes() == before
    assert nearest(tmp_path) == read_all(tmp_path)
    write(tmp_path, range(203, 260), removed=range(20, 50))
    assert file_of(tmp_path).read_bytes() != before
    assert nearest(tmp_path) == read_all(tmp_path)


@pytest.mark.parametrize("damage", ["lost", "cut", "flipped", "header", "synced", "another"])
def test_a_file_that_is_not_what_was_written_is_written_again(tmp_path, damage):
    write(tmp_path, range(80))
    path = file_of(tmp_path)
    sound, everything = path.read_bytes(), read_all(tmp_path)
    match damage:
        case "lost":
            path.unlink()
        case "cut":
            path.write_bytes(sound[:-100])
        case "flipped":
            path.write_bytes(sound[:2_000] + bytes([sound[2_000] ^ 4]) + sound[2_001:])
        case "header":
            path.write_bytes(b"[]".ljust(512) + sound[512:])
        case "synced":
            more = sound[:512].replace(b'"synced": 1', b'"synced": 9')
            assert more != sound[:512]
            path.write_bytes(more + sound[512:])
        case "another":
            write(tmp_path / "other", range(80))
            path.write_bytes(file_of(tmp_path / "other").read_bytes())
    found = [] if damage in ("lost", "another") else ["default: vectors"]
    assert ill_parts(tmp_path) == found
    assert nearest(tmp_path) == everything
    assert path.read_bytes() == sound
    assert ill_parts(tmp_path) == []


def test_a_folder_that_takes_no_file_is_searched_all_the_same(tmp_path, monkeypatch):
    write(tmp_path, range(80))
    everything = read_all(tmp_path)
    file_of(tmp_path).unlink()

    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shortlist, "NamedTemporaryFile", full)
    assert nearest(tmp_path) == everything


def test_a_reader_goes_on_while_a_write_is_under_way(tmp_path):
    write(tmp_path, range(200))
    with closing(open_collection(tmp_path, "default", EMBEDDER, exact_chunks=9_999)) as reader:
        reader.search("comet", 3)
        with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
            writer.put(document("new"), [part("new", "A tremendous zeppelin over the comet.")])
            assert len(reader.search("tremendous zeppelin", 3)) == 3
        assert reader.search("tremendous zeppelin", 1)[0]["source"] == "new"


def test_few_chunks_are_searched_without_importing_chroma(tmp_path):
    write(tmp_path, range(80))
    code = (
        "import sys; from pathlib import Path; from index_samples import EMBEDDER;"
        "from index_samples import open_collection;"
        "few = int(sys.argv[2]);"
        "r = open_collection(Path(sys.argv[1]), 'default', EMBEDDER, exact_chunks=few);"
        "print(len(r.search('comet', 3)), 'chromadb' in sys.modules)"
    )
    for bound, opened in (("160", "False"), ("159", "True"), ("0", "True")):
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), bound],
            env={"PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.split() == ["3", opened]
