"""Several collections asked as one, and a part of one asked by a glob."""

from __future__ import annotations

import pytest
from index_samples import EMBEDDER, document, open_collection, open_writer, part
from pathspec import GitIgnoreSpec

from rag.opening import open_reader
from state.errors import UsageError
from state.settings import Settings

LINE = {
    "tunnel.md": "The Corbel Tunnel is 412 metres long.",
    "viaduct.md": "The Gillfoot Viaduct has nine arches of gritstone.",
}
DEPOT = {
    "engines.txt": "The engine Osmer Lass was built in 1906.",
    "tunnel.md": "The drainage tunnel under the depot is 80 metres long.",
}


@pytest.fixture
def home(tmp_path):
    for name, texts in (("line", LINE), ("depot", DEPOT), ("all", {**DEPOT, **LINE})):
        put(tmp_path, name, texts)
    return tmp_path


def put(home, name, texts):
    with open_writer(home, name, EMBEDDER.identity) as writer:
        for source, text in texts.items():
            writer.put(document(source), [part(source, text)])


def reader(home, collection, **values):
    return open_reader(Settings(home=home, collection=collection, **values))


def test_a_source_bears_its_collections_name_and_leads_back_to_its_text(home):
    with reader(home, "line,depot") as both:
        sources = {hit["source"] for hit in both.search("How long is the tunnel?", 4)}
        assert {"line:tunnel.md", "depot:tunnel.md"} <= sources
        assert both.document_text("depot:tunnel.md") == DEPOT["tunnel.md"]
        assert both.document("line:tunnel.md").path == "/files/tunnel.md"
        assert both.document_text("tunnel.md") is None
        assert (both.name, both.document_count) == ("line,depot", 4)
        names = both.document_names(4)
        assert len(names) == 4
        assert both.document_names(3) == names[:3]


def test_scores_are_those_of_one_collection_with_all_of_it(tmp_path):
    texts = {f"{n}.md": f"Siding {n} holds {n} wagons of slate and coal." for n in range(20)}
    halves = [dict(list(texts.items())[:10]), dict(list(texts.items())[10:])]
    for name, some in zip(("one", "two", "whole"), (*halves, texts), strict=True):
        put(tmp_path, name, some)
    with reader(tmp_path, "one,two") as joined, reader(tmp_path, "whole") as whole:
        asked = "How many wagons does siding 13 hold?"
        found, expected = joined.search(asked, 5), whole.search(asked, 5)
        assert [hit["text"] for hit in found] == [hit["text"] for hit in expected]
        assert [hit["score"] for hit in found] == pytest.approx(
            [hit["score"] for hit in expected], abs=1e-5
        )
        terms = ["wagon", "13"]
        assert joined.document_frequencies(terms) == whole.document_frequencies(terms)


def test_a_collections_name_is_none_of_its_documents_words(tmp_path):
    texts = {"travel.md": "Walkers leave the steps by the tower.", "tower.md": "Nothing else."}
    for name in ("handbook", "pets"):
        put(tmp_path, name, texts if name == "handbook" else {"cat.md": "The cat sleeps."})
    put(tmp_path, "all", {**texts, "cat.md": "The cat sleeps."})
    with reader(tmp_path, "handbook,pets") as joined, reader(tmp_path, "all") as whole:
        found, expected = (each.search("handbook tower steps", 3) for each in (joined, whole))
        assert [hit["score"] for hit in found] == pytest.approx(
            [hit["score"] for hit in expected], abs=1e-5
        )


def test_vectors_come_from_the_collection_that_has_the_chunk(home):
    with reader(home, "line,depot") as both:
        hits = both.search("tunnel engine viaduct", 4)
        found = both.vectors([hit["chunk_id"] for hit in hits])
    assert found.any(axis=1).all()


def test_a_glob_is_part_of_the_search_so_that_k_stays_filled(tmp_path):
    texts = {f"loud/{n}.md": f"Tunnel tunnel tunnel number {n}." for n in range(150)}
    quiet = {f"quiet/{n}.md": f"Another tunnel, described as {n}." for n in range(6)}
    put(tmp_path, "default", {**texts, **quiet})
    embedder, only = EMBEDDER, GitIgnoreSpec.from_lines(["quiet/"])
    collection = open_collection(tmp_path, "default", embedder, files=only)
    hits = collection.search("tunnel", 6)
    assert sorted(hit["source"] for hit in collection.search("tunnel", 60)) == sorted(quiet)
    assert sorted(hit["source"] for hit in hits) == sorted(quiet)
    assert collection.document_count == 6
    put(tmp_path, "default", {"quiet/new.md": "A tunnel that was dug later."})
    assert "quiet/new.md" in {hit["source"] for hit in collection.search("tunnel dug", 10)}
    collection.close()


def test_a_document_that_the_question_names_is_not_found_outside_the_glob(home):
    with reader(home, "line", files="tunnel*") as some:
        sources = {hit["source"] for hit in some.search("the viaduct page", 4)}
    assert sources == {"tunnel.md"}


def test_a_glob_that_matches_in_one_of_two_collections_is_enough(home):
    with reader(home, "line,depot", files="*.txt") as some:
        assert some.name == "line,depot"
        assert [hit["source"] for hit in some.search("tunnel", 4)] == ["depot:engines.txt"]


@pytest.mark.parametrize("glob", ["*.pdf", "!"])
def test_a_glob_of_nothing_is_a_mistake_in_its_own_words(home, glob):
    with pytest.raises(UsageError, match=r"No document of 'line' matches|--files: "):
        reader(home, "line", files=glob).__enter__()


def test_several_collections_are_read_and_never_written(home):
    with pytest.raises(UsageError, match="takes one collection, not 2: line,depot"):
        Settings(home=home, collection="line,depot").one_collection  # noqa: B018
    assert Settings(home=home, collection="line,line").collections == ("line",)
    with pytest.raises(ValueError, match="between commas"):
        Settings(home=home, collection="line,")


def test_a_missing_collection_names_the_nearest_and_counts_the_others(home):
    with pytest.raises(UsageError, match=r"collection 'lime'\. Did you mean 'line'\?"):
        reader(home, "line,lime").__enter__()
    with pytest.raises(UsageError, match=r"There is: all, depot, line\."):
        reader(home, "zzz").__enter__()
    with pytest.raises(UsageError, match=r"There is: all, depot, line\. Name one with -c NAME\."):
        reader(home, "default").__enter__()
