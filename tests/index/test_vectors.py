import os
import random
import shutil
from contextlib import closing
from itertools import pairwise

import numpy as np
import pytest
from bare_process import run_code
from index_samples import EMBEDDER, entry, ill_parts, open_collection, open_writer
from shared_stores import fill
from sqlite_files import run_sql

from rag.index.home import queries
from rag.index.home.store import HomeStore
from rag.index.home.vectors import ChromaIndex
from state.errors import NoIndexError, StoreBusyError

TOPICS = ["whale", "railway", "bakery", "glacier", "violin", "harbour", "orchard", "comet"]


def write(home, count=40, first=0):
    said = "The {0} of number {1} is described here.\n\nMore on {0} {1}."
    numbers = range(first, first + count)
    fill(HomeStore(home), {f"doc{n}": said.format(TOPICS[n % len(TOPICS)], n) for n in numbers})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Homes of so many documents, to be copied; of 700, of two chunks each, Chroma saves some."""
    homes = {0: tmp_path_factory.mktemp("vectors")}
    for held, count in pairwise((0, 40, 350, 700)):
        home = tmp_path_factory.mktemp("vectors") / "home"
        homes[count] = shutil.copytree(homes[held], home)
        write(home, count - held, held)
    return homes


@pytest.fixture
def home(made, tmp_path):
    return shutil.copytree(made[40], tmp_path / "home")


def mend(home, lines):
    """As an ingest without changes does, which embeds nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EMBEDDER, "embed_documents", None)
        with open_writer(home, "default", notice=lines.append):
            pass


def searched(home, query="comet near the harbour", k=10):
    """What a new reader finds, what it has to say, and by what it searched."""
    lines = []
    reader = open_collection(home, "default", notice=lines.append)
    found = [chunk["chunk_id"] for chunk in reader.search(query, k)]
    by = reader.dense_searched
    reader.close()
    return found, lines, by


def folder(home):
    (uid,) = (home / "vectors").iterdir()
    (generation,) = uid.iterdir()
    return generation


def rewritten(pattern, change):
    """Damage to those of its files."""

    def damage(home):
        for path in folder(home).rglob(pattern):
            if path.is_file():
                path.write_bytes(change(path.read_bytes()))

    return damage


def remove_and_replace(home, other):
    place = folder(home)
    shutil.rmtree(place)
    shutil.move(other, place)


def put_a_foreign_one(home):
    write(home.parent / "foreign", count=10)
    remove_and_replace(home, folder(home.parent / "foreign"))


def flip_bits(path, count, seed):
    """Flips so many random bits of a file."""
    data = bytearray(path.read_bytes())
    for bit in random.Random(seed).choices(range(len(data) * 8), k=count):
        data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)


def leave_it_cleared(home):
    run_sql(home / "catalog.sqlite", "UPDATE chroma SET revision = NULL")


@pytest.mark.parametrize(
    ("damage", "count"),
    [
        pytest.param(lambda home: shutil.rmtree(home / "vectors"), 40, id="nothing left"),
        pytest.param(rewritten("chroma.sqlite3", lambda held: held[:5_000]), 40, id="cut"),
        pytest.param(rewritten("chroma.sqlite3", lambda _: os.urandom(20_000)), 40, id="scrambled"),
        pytest.param(rewritten("*", lambda held: bytes(len(held))), 700, id="zeros"),
        pytest.param(rewritten("*", lambda held: held[: len(held) // 2]), 700, id="every file cut"),
        pytest.param(put_a_foreign_one, 40, id="a foreign one"),
        pytest.param(leave_it_cleared, 40, id="cleared"),
    ],
)
def test_for_a_damaged_chroma_the_catalog_answers_until_it_is_mended(made, tmp_path, damage, count):
    home = shutil.copytree(made[count], tmp_path / "home")
    sound, lines, by = searched(home)
    assert (lines, by) == ([], "chroma")
    damage(home)
    found, lines, by = searched(home)
    assert found == sound
    assert by.startswith("catalog (Chroma is ")
    # One that was left half-written may be being written.
    told = ["The next `crag ingest` builds" in line for line in lines]
    assert told == [True] * (damage is not leave_it_cleared)
    lines = []
    mend(home, lines)
    assert len(lines) == 1
    again, lines, by = searched(home)
    assert (again, lines, by) == (sound, [], "chroma")
    assert ill_parts(home) == []


def test_an_older_folder_that_was_put_back_is_not_asked(home, tmp_path):
    kept = shutil.copytree(folder(home), tmp_path / "older")
    write(home, count=10, first=40)
    sound, _, by = searched(home)
    assert by == "chroma"
    remove_and_replace(home, kept)
    found, lines, by = searched(home)
    assert (found, len(lines)) == (sound, 1)
    assert by == "catalog (Chroma is damaged: not what was last written)"


def test_flipped_bits_of_a_saved_graph_never_reach_chroma(made, tmp_path):
    """Fifty of them ended the process that opened it; one goes unseen, and a vector is another."""
    sound, lines, _ = searched(made[700])
    assert lines == []
    names = {each.name for each in folder(made[700]).glob("*/*") if each.stat().st_size}
    assert "data_level0.bin" in names
    for name, count in [("data_level0.bin", 1), *((name, 50) for name in names)]:
        home = shutil.copytree(made[700], tmp_path / f"{name}-{count}")
        (path,) = folder(home).glob(f"*/{name}")
        flip_bits(path, count, seed=count)
        found, lines, by = searched(home)
        assert (found, len(lines), by[:7]) == (sound, 1, "catalog")
    mend(home, lines)
    assert searched(home)[1:] == ([], "chroma")
    assert ill_parts(home) == []


def test_a_write_while_chroma_is_opened_is_not_called_damage(home, monkeypatch):
    sound = searched(home)[0]
    opened = ChromaIndex.open

    def slowly(index, row):
        monkeypatch.undo()
        write(home, count=120, first=40)
        return opened(index, row)

    monkeypatch.setattr(ChromaIndex, "open", slowly)
    found, lines, by = searched(home)
    assert (found, lines, by) == (sound, [], "catalog (Chroma is being written)")
    assert searched(home)[2] == "chroma"


def test_every_change_reaches_chroma(home):
    write(home, count=1, first=99)
    with open_writer(home, "default") as writer:
        writer.remove([f"doc{number}" for number in range(39)])
    with closing(open_collection(home, "default")) as reader:
        found = reader.search("glacier 99", 100)
        assert reader.dense_searched == "chroma"
    assert {chunk["source"] for chunk in found} == {"doc39", "doc99"}
    assert found[0]["source"] == "doc99"
    assert all(chunk["dense_rank"] for chunk in found)


def test_a_collection_whose_every_document_was_replaced_is_answered_by_chroma(made, tmp_path):
    home = shutil.copytree(made[350], tmp_path / "home")
    for first in (350, 700):
        with open_writer(home, "default") as writer:
            writer.remove([f"doc{number}" for number in range(first - 350, first)])
        write(home, 350, first)
    for _ in range(3):
        found, lines, by = searched(home)
        assert (len(found), lines, by) == (10, [], queries.CHROMA)


def test_a_zero_vector_does_no_harm(tmp_path, monkeypatch):
    blank = np.zeros((2, EMBEDDER.identity.dimension), np.float32)
    monkeypatch.setattr(EMBEDDER, "embed_documents", lambda _texts: blank)
    with open_writer(tmp_path, "default") as writer:
        writer.put_all([entry("zero", "Whales sing.\n\nTrains run.")])
    reader = open_collection(tmp_path, "default")
    found = reader.search("whales", 2)
    assert found[0]["text"] == "Whales sing."
    assert all(np.isfinite(chunk["score"]) for chunk in found)
    reader.close()


def test_rubbish_around_us_does_not_reach_chroma_nor_what_lay_in_memory_a_file(tmp_path):
    (tmp_path / ".env").write_bytes(b"\xff\xfe CHROMA_SERVER_HTTP_PORT=abc\n")
    code = """import sys
from pathlib import Path
from index_samples import *
home, lines = Path(sys.argv[1]), []
with open_writer(home, "default") as writer:
    writer.put_all([entry("a.md", "The comet is bright.")])
reader = open_collection(home, "default", notice=lines.append)
print(len(reader.search("comet", 3)), lines, reader.dense_searched)
"""
    rubbish = {"CHROMA_SERVER_HTTP_PORT": "abc", "IS_PERSISTENT": "maybe", "MIGRATIONS": "?"}
    home = tmp_path / "home"
    assert run_code(code, home, folder=tmp_path, **rubbish) == "1 [] chroma\n"
    (file,) = (home / "vectors").rglob("data_level0.bin")
    assert len({*file.read_bytes()}) == 1, "hnswlib has filled nothing of it yet"


def test_a_deleted_collection_is_gone_with_its_vectors(home):
    store = HomeStore(home)
    with open_writer(home, "default"), pytest.raises(StoreBusyError):
        store.delete("default")
    store.delete("default")
    assert list((home / "vectors").rglob("*.*")) == []
    with pytest.raises(NoIndexError):
        open_collection(home, "default")
    with pytest.raises(NoIndexError):
        store.delete("default")
    for table in ("documents", "texts", "chunks", "chroma"):
        assert run_sql(home / "catalog.sqlite", f"SELECT * FROM {table}") == []


def test_a_catalog_moved_away_leaves_no_vectors_behind(home):
    (old,) = (home / "vectors").iterdir()
    (home / "catalog.sqlite").rename(home / "damaged.sqlite")
    write(home, count=1, first=1)
    assert searched(home, "railway")[2] == "chroma"
    assert not old.exists()
    assert len(list((home / "vectors").iterdir())) == 1
