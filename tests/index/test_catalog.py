import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from index_samples import EMBEDDER, document, open_collection, open_writer, part, parts

from rag.embed.protocol import EmbedderIdentity
from rag.index.home.catalog import SCHEMA_VERSION, catalog_path, is_sound
from rag.index.home.store import HomeStore
from rag.index.protocol import FileStat, UnreadFile, embedding_text
from rag.text.blocks import blocks_of_text
from state.documents import chunk_id
from state.errors import (
    EmbedderMismatchError,
    NoIndexError,
    StorageError,
    StoreBusyError,
    UsageError,
)

WHALES = "Whales are mammals of the sea.\n\nThe blue whale is the largest of them."
TRAINS = "The mountain railway climbs to the summit.\n\nIts gauge is 800 millimetres."


def write(home, name="default", **texts):
    with open_writer(home, name, EMBEDDER.identity) as writer:
        for source, text in texts.items():
            writer.put(document(source), [part(source, text)])


def test_what_was_put_is_found_with_its_place(tmp_path):
    write(tmp_path, whales=WHALES, trains=TRAINS)
    reader = open_collection(tmp_path, "default", EMBEDDER)
    best = reader.search("gauge of the mountain railway", 3)[0]
    assert best["source"] == "trains"
    assert TRAINS[best["start_char"] : best["end_char"]] == best["text"]
    assert best["chunk_id"] == chunk_id("trains", best["start_char"], best["text"])
    assert reader.document_text("trains") == TRAINS
    assert (reader.document_count, reader.chunk_count) == (2, 4)
    assert is_sound(tmp_path) == []


def test_a_chunk_brings_its_blocks_or_is_read_again_for_them(tmp_path):
    text = "The motor is started with:\n\n    motor on\n"
    made = part("motor", text.replace("\n\n", "\n \n"))
    blocks = tuple(blocks_of_text(made.text))
    chunks = [replace(chunk, blocks=blocks) for chunk in made.chunks]
    with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
        writer.put(document("motor"), [replace(made, chunks=chunks)])
    kept = open_collection(tmp_path, "default", EMBEDDER).search("motor", 1)[0]["blocks"]
    assert [block.kind for block in kept] == ["lead", "code"]
    assert kept[1].lead == kept[0].extent
    with closing(sqlite3.connect(catalog_path(tmp_path))) as db, db:
        assert db.execute("UPDATE chunks SET blocks = NULL").rowcount == 1
    assert open_collection(tmp_path, "default", EMBEDDER).search("motor", 1)[0]["blocks"] == kept


def test_replacing_and_removing_leave_nothing_of_the_old(tmp_path):
    write(tmp_path, whales=WHALES, trains=TRAINS)
    write(tmp_path, whales="Dolphins are smaller.")
    reader = open_collection(tmp_path, "default", EMBEDDER)
    assert reader.document_text("whales") == "Dolphins are smaller."
    assert reader.document_frequencies(["whale", "dolphin"]) == {"whale": 0, "dolphin": 1}
    with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
        assert writer.remove(["whales", "never there"]) == 1
    assert reader.document_frequencies(["dolphin"]) == {"dolphin": 0}
    assert {chunk["source"] for chunk in reader.search("dolphins", 9)} == {"trains"}


def test_a_document_that_fails_half_way_leaves_the_older_one(tmp_path):
    write(tmp_path, whales=WHALES)

    def broken():
        yield part("whales", "Sharks are fish.\n\n")
        raise OSError("the disk went away")

    with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
        with pytest.raises(OSError, match="went away"):
            writer.put(document("whales"), broken())
        assert [kept.chunk_count for kept in writer.documents()] == [2]
    reader = open_collection(tmp_path, "default", EMBEDDER)
    assert reader.document_text("whales") == WHALES


def test_a_large_document_is_written_in_stretches_and_shown_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("rag.index.writer.GROUP_CHUNKS", 3)
    write(tmp_path, trains=TRAINS)
    reader = open_collection(tmp_path, "default", EMBEDDER)
    texts = [f"Paragraph {number} of the log {'x' * 9000}.\n\n" for number in range(12)]
    seen = []

    def watched():
        for piece in parts("log", texts):
            seen.append((reader.document_count, len(reader.search("paragraph log", 50))))
            yield piece

    with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
        writer.put(document("log"), watched())
    assert set(seen) == {(1, 2)}
    assert reader.document_text("log") == "".join(texts)
    assert len(reader.search("paragraph log", 50)) == 14


def test_equal_texts_need_no_second_embedding(tmp_path):
    write(tmp_path, whales=WHALES)
    texts = [embedding_text(chunk) for chunk in part("elsewhere", WHALES).chunks]
    with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
        known = writer.vectors_for([*texts, "never seen"])
    assert set(known) == set(texts)
    assert known[texts[0]] @ EMBEDDER.embed_query(texts[0]) == pytest.approx(1, abs=1e-3)


def test_names_that_are_no_utf8_and_odd_text_survive(tmp_path):
    source, text = "bad\udcff\nname", "null \x00 and \ud800 surrogate, 東京都"
    write(tmp_path, **{source: text})
    reader = open_collection(tmp_path, "default", EMBEDDER)
    found = reader.search("東京", 1)[0]
    assert (found["source"], found["text"]) == (source, text)
    assert reader.document(source).path == f"/files/{source}"


def test_roots_and_file_times_are_remembered(tmp_path):
    write(tmp_path, whales=WHALES)
    with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
        writer.set_root("/files", '{"include": []}')
        writer.set_root("/gone", "{}")
        writer.forget_root("/gone")
        writer.touch(document("whales", stat=FileStat(7, 8, 9)))
        assert writer.roots() == {"/files": '{"include": []}'}
    reader = open_collection(tmp_path, "default", EMBEDDER)
    assert reader.document("whales").stat == (7, 8, 9)


def test_a_second_writer_is_told_who_holds_the_lock(tmp_path):
    with (
        open_writer(tmp_path, "default", EMBEDDER.identity),
        pytest.raises(StoreBusyError, match=r"pid \d+ on "),
        open_writer(tmp_path, "default", EMBEDDER.identity),
    ):
        pass
    with open_writer(tmp_path, "default", EMBEDDER.identity) as writer:
        assert writer.name == "default"


def test_missing_things_say_what_to_do(tmp_path):
    with pytest.raises(NoIndexError, match="crag ingest PATH"):
        open_collection(tmp_path, "default", EMBEDDER)
    write(tmp_path, name="papers", whales=WHALES)
    with pytest.raises(UsageError, match="papers"):
        open_collection(tmp_path, "paper", EMBEDDER)
    other = EmbedderIdentity("other", 3, "1")
    with (
        pytest.raises(EmbedderMismatchError, match="crag collections delete papers"),
        open_writer(tmp_path, "papers", other),
    ):
        pass


@pytest.mark.parametrize("query", ['"', "NEAR(a b) AND -x OR *", "the of", "\x00\ud800", "a" * 99])
def test_any_text_is_a_legal_query(tmp_path, query):
    write(tmp_path, whales=WHALES)
    reader = open_collection(tmp_path, "default", EMBEDDER)
    assert len(reader.search(query, 5)) == 2


def test_misspelt_words_find_the_collections_own(tmp_path):
    write(tmp_path, whales=WHALES, trains=TRAINS)
    reader = open_collection(tmp_path, "default", EMBEDDER)
    assert reader.similar_terms("railwya", 3) == [("railway", 1)]
    assert reader.similar_terms("mamals", 3) == [("mammals", 1)]
    assert reader.similar_terms("xx", 3) == []


def test_a_slip_where_stemming_cuts_is_found(tmp_path):
    write(tmp_path, trains="The difference between a railway and a tramway.")
    reader = open_collection(tmp_path, "default", EMBEDDER)
    assert reader.similar_terms("diffrence", 3) == [("difference", 1)]


def test_unread_files_are_remembered_and_forgotten(tmp_path):
    bad = UnreadFile("/files/\udce9.bin", FileStat(3, 4, 5), "no text", failed=True)
    with open_writer(tmp_path, "sea", EMBEDDER.identity) as writer:
        writer.set_unread([bad, replace(bad, path="/files/b")])
        writer.set_unread([replace(bad, reason="binary", failed=False)], forget=["/files/b"])
    with open_writer(tmp_path, "sea", EMBEDDER.identity) as writer:
        assert writer.unread() == [replace(bad, reason="binary", failed=False)]


def test_a_reader_goes_on_with_a_collection_that_was_deleted_and_made_anew(tmp_path):
    write(tmp_path, whales=WHALES, trains=TRAINS)
    lines = []
    reader = open_collection(tmp_path, "default", EMBEDDER, notice=lines.append)
    assert reader.search("whale", 1)[0]["source"] == "whales"
    HomeStore(tmp_path).delete("default")
    with pytest.raises(NoIndexError, match="'default' was deleted"):
        reader.search("whale", 1)
    write(tmp_path, whales="The narwhal has a tusk.", trains=TRAINS)
    assert [chunk["text"] for chunk in reader.search("narwhal", 1)] == ["The narwhal has a tusk."]
    assert reader.document_text("whales") == "The narwhal has a tusk."
    assert reader.chunk_count == 3
    assert len(lines) == 1
    assert "made anew" in lines[0]


def test_a_catalog_moved_away_is_no_longer_read_and_leaves_no_vectors_behind(tmp_path):
    write(tmp_path, whales=WHALES)
    reader = open_collection(tmp_path, "default", EMBEDDER)
    (old,) = (tmp_path / "vectors").iterdir()
    (tmp_path / "catalog.sqlite").rename(tmp_path / "damaged.sqlite")
    with pytest.raises(NoIndexError):
        reader.search("whale", 1)
    write(tmp_path, trains=TRAINS)
    assert reader.search("railway", 1)[0]["source"] == "trains"
    assert not old.exists()
    assert len(list((tmp_path / "vectors").iterdir())) == 1


@pytest.mark.parametrize(("step", "by"), [(1, "a newer crag"), (-1, "a crag before")])
def test_a_catalog_of_another_version_is_refused_and_left_as_it_is(tmp_path, step, by):
    write(tmp_path, whales=WHALES)
    with closing(sqlite3.connect(catalog_path(tmp_path))) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + step}")
    for _ in range(2):
        with pytest.raises(StorageError, match=f"written by {by}") as raised:
            write(tmp_path, trains=TRAINS)
    assert ("`crag ingest` again" in str(raised.value.hint)) is (step < 0)
