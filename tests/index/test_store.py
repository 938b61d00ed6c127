"""What a store of collections promises, at home and in Postgres."""

import re
import threading
from contextlib import closing
from dataclasses import replace

import pytest
from index_samples import EMBEDDER, document, entry, part, parts
from shared_stores import ask, assert_sound, fill

from rag.embed.protocol import EmbedderIdentity
from rag.index.home import catalog
from rag.index.postgres.database import SharedDatabase
from rag.index.protocol import FileStat, UnreadFile
from rag.text.blocks import blocks_of_text
from state import errors
from state.documents import chunk_id

WHALES = "Whales are mammals of the sea.\n\nThe blue whale is the largest of them."
TRAINS = "The mountain railway climbs to the summit.\n\nIts gauge is 800 millimetres."


def opened(store, **options):
    return closing(store.open_collection("default", **options))


def writing(store, name="default"):
    return store.open_writer(name)


def test_what_was_put_is_found_with_its_place(store):
    fill(store, {"whales": WHALES, "trains": TRAINS})
    with opened(store) as reader:
        best = reader.search("gauge of the mountain railway", 3)[0]
        assert best["source"] == "trains"
        assert TRAINS[best["start_char"] : best["end_char"]] == best["text"]
        assert best["chunk_id"] == chunk_id("trains", best["start_char"], best["text"])
        assert reader.document_text("trains") == TRAINS
        assert (reader.document_count, reader.chunk_count) == (2, 4)
    assert_sound(store)


def test_a_chunk_brings_its_blocks_or_is_read_again_for_them(store):
    text = "The motor is started with:\n\n```\nmotor on\n```\n"
    made = part(text.replace("\n\n", "\n \n"))
    blocks = tuple(blocks_of_text(made.text))
    chunks = [replace(chunk, blocks=blocks) for chunk in made.chunks]
    with writing(store) as writer:
        writer.put_all([(document("motor"), [made._replace(chunks=tuple(chunks))])])
    with opened(store) as reader:
        kept = reader.search("motor", 1)[0]["blocks"]
    assert [block.kind for block in kept] == ["paragraph", "code"]
    assert kept[1].lead == kept[0].extent
    with closing(store.database()) as database, database.writing() as sql:
        assert sql.execute("UPDATE chunks SET blocks = NULL").rowcount == 1
    with opened(store) as reader:
        assert reader.search("motor", 1)[0]["blocks"] == kept


def test_what_is_replaced_or_removed_leaves_nothing_behind(store):
    fill(store, {"whales": WHALES, "trains": TRAINS})
    fill(store, {"whales": "Dolphins are smaller."})
    with opened(store) as reader:
        assert reader.document_text("whales") == "Dolphins are smaller."
        assert reader.document_frequencies(["whale", "dolphin"]) == {"whale": 0, "dolphin": 1}
        with writing(store) as writer:
            assert writer.remove(["whales", "never there"]) == 1
        assert reader.document_frequencies(["dolphin"]) == {"dolphin": 0}
        assert {chunk["source"] for chunk in reader.search("dolphins", 9)} == {"trains"}
    assert_sound(store)
    fill(store, {f"{n}.md": f"word{n} motor\n\nvalve {n}" for n in range(30)})
    with writing(store) as writer:
        assert writer.remove([f"{n}.md" for n in range(0, 30, 2)]) == 15
    assert_sound(store)
    with writing(store) as writer:
        writer.remove(["trains", *(f"{n}.md" for n in range(30))])
    assert_sound(store)
    with pytest.raises(errors.NoIndexError, match="holds no text"):
        store.open_collection("default")
    fill(store, {"a.md": "motor again"})
    assert ask(store, "motor") == ["a.md"]
    assert_sound(store)


def test_a_large_document_is_seen_when_it_is_whole_and_stays(store, monkeypatch):
    monkeypatch.setattr("rag.index.writer.GROUP_CHUNKS", 20)
    fill(store, {"large.md": "old motor", "small.md": "pump"})
    texts = [f"Part {n} of the new motor\n\n" for n in range(50)]
    with writing(store) as writer:

        def arriving():
            for number, each in enumerate(parts(texts)):
                if number == 40:
                    with opened(store) as reader:
                        assert reader.document_text("large.md") == "old motor"
                yield each

        writer.put_all([(document("large.md"), arriving())])

        def failing():
            yield from list(parts(texts))[:30]
            raise errors.RemoteStoreError("the embedder went away")

        with pytest.raises(errors.RemoteStoreError, match="embedder"):
            writer.put_all([(document("large.md"), failing())])
        counted = {each.source: each.chunk_count for each in writer.documents()}
        assert counted == {"large.md": 50, "small.md": 1}
    with opened(store) as reader:
        assert reader.document_text("large.md") == "".join(texts)
    assert_sound(store)


def test_a_reader_never_sees_half_a_write(store):
    fill(store, {"a.md": "motor zero", "b.md": "motor zero"})
    torn, done = [], threading.Event()

    def read() -> None:
        with opened(store) as reader:
            while not done.is_set():
                with reader.snapshot():
                    seen = {reader.document_text(source) for source in ("a.md", "b.md")}
                torn.extend([seen] if len(seen) != 1 else [])

    thread = threading.Thread(target=read)
    thread.start()
    try:
        for number in range(6):
            fill(store, dict.fromkeys(("a.md", "b.md"), f"motor {number}"))
    finally:
        done.set()
        thread.join()
    assert torn == []
    assert_sound(store)


@pytest.mark.parametrize(
    "text", ["nul \0 in", "lone \ud800", "ⓐ𝔘 ẞ 東京\n\nтоннель", "a\tb\\c {d}"]
)
def test_any_text_and_any_name_come_back(store, text):
    source = "odd \udcff \\ new\nline.md"
    with writing(store) as writer:
        writer.put_all([entry(source, text, title=text)])
        writer.set_root("/odd \udcff", "{}")
    with opened(store) as reader:
        assert reader.document_text(source) == text
        assert {chunk["source"] for chunk in reader.search(text, 3)} == {source}
        assert reader.document(source).path == f"/files/{source}"
    with store.contents("default") as held:
        assert list(held.roots()) == ["/odd \udcff"]
    assert_sound(store)


def test_roots_times_and_unread_files_are_remembered(store):
    bad = UnreadFile("/files/\udce9.bin", FileStat(3, 4, 5), "no text", failed=True, reading="1")
    fill(store, {"whales": WHALES})
    with writing(store) as writer:
        writer.set_root("/files", '{"include": []}')
        writer.touch(document("whales", stat=FileStat(7, 8, 9)))
        writer.set_unread([bad, replace(bad, path="/files/b")])
        writer.set_unread([replace(bad, reason="binary", failed=False)], forget=["/files/b"])
    with writing(store) as writer:
        assert writer.roots() == {"/files": '{"include": []}'}
        assert writer.unread() == [replace(bad, reason="binary", failed=False)]
    with opened(store) as reader:
        assert reader.document("whales").stat == (7, 8, 9)


def test_writers_are_kept_apart_and_the_second_learns_who_holds_it(store):
    with writing(store), pytest.raises(errors.StoreBusyError) as refused, writing(store):
        raise AssertionError
    assert re.search(r"Another process.*(pid|crag) \d+ on ", str(refused.value))
    with writing(store, "one") as one, writing(store, "two") as two:
        for writer in (one, two):
            writer.put_all([entry("a.md", f"motor {writer.row.name}")])
    assert store.names() == ["default", "one", "two"]
    assert ask(store, "motor", name="two") == ["a.md"]


def test_missing_things_say_what_to_do(store, monkeypatch):
    with pytest.raises(errors.NoIndexError, match="crag ingest PATH"):
        store.open_collection("default")
    assert (store.names(), store.summaries()) == ([], [])
    fill(store, {"a.md": "motor"}, "papers")
    with pytest.raises(errors.UsageError, match=r"collection 'paper'\. Did you mean 'papers'\?"):
        store.open_collection("paper")
    with pytest.raises(errors.UsageError, match=r"There is: papers\. Name one with -c NAME\."):
        store.open_collection("default")
    with pytest.raises(errors.UsageError, match="Did you mean 'papers'"), store.contents("paper"):
        raise AssertionError
    monkeypatch.setattr(EMBEDDER, "identity", EmbedderIdentity("other", 3, "1"))
    refused = pytest.raises(errors.EmbedderMismatchError, match="crag collections delete papers")
    with refused, store.open_writer("papers"):
        raise AssertionError


@pytest.mark.parametrize("query", ['"', "NEAR(a b) AND -x OR *", "the of", "\x00\ud800", "a" * 99])
def test_any_text_is_a_legal_query(store, query):
    fill(store, {"whales": WHALES})
    assert len(ask(store, query)) == 2


def test_the_words_are_held_that_stand_in_a_text_as_they_are_spelt(store):
    fill(store, {"whales": WHALES, "trains": TRAINS + "\n\nThe difference is small."})
    with opened(store) as reader:
        asked = ["railway", "railwa", "mammals", "difference", "different"]
        assert sorted(reader.held_words(asked)) == ["difference", "mammals", "railway"]
        assert reader.held_words([]) == []


def test_a_collection_that_was_deleted_and_made_anew_is_followed(store):
    fill(store, {"whales": WHALES, "trains": TRAINS})
    with opened(store) as reader:
        assert reader.search("whale", 1)[0]["source"] == "whales"
        store.delete("default")
        with pytest.raises(errors.NoIndexError, match="Nothing was ingested yet"):
            reader.search("whale", 1)
        fill(store, {"whales": "The narwhal has a tusk.", "trains": TRAINS})
        found = [chunk["text"] for chunk in reader.search("narwhal", 1)]
        assert found == ["The narwhal has a tusk."]
        assert reader.document_text("whales") == "The narwhal has a tusk."
        assert reader.chunk_count == 3


@pytest.mark.parametrize(("step", "by"), [(-1, "a newer crag"), (1, "an older crag")])
def test_a_store_of_another_version_is_refused_and_left_as_it_is(store, monkeypatch, step, by):
    fill(store, {"whales": WHALES})
    with monkeypatch.context() as patch:
        patch.setattr(SharedDatabase, "version", SharedDatabase.version + step)
        patch.setattr(catalog.Catalog, "version", catalog.SCHEMA_VERSION + step)
        for use in (lambda: ask(store, "motor"), lambda: fill(store, {"b.md": "pump"})):
            with pytest.raises(errors.StorageError, match=f"written by {by}"):
                use()
    assert ask(store, "whale", 1) == ["whales"]
