"""A collection opened as the settings name it, and a part of one asked by a glob."""

import json

import pytest
from crag import crag
from pathspec import GitIgnoreSpec
from shared_stores import fill

from rag.index.home.store import HomeStore
from rag.opening import open_reader
from state.errors import UsageError
from state.settings import Settings

FILES = {
    "tunnel.md": "The Corbel Tunnel is 412 metres long.",
    "viaduct.md": "The Gillfoot Viaduct has nine arches of gritstone.",
}


def test_a_glob_is_part_of_the_search_so_that_k_stays_filled(tmp_path):
    texts = {f"loud/{n}.md": f"Tunnel tunnel tunnel number {n}." for n in range(150)}
    quiet = {f"quiet/{n}.md": f"Another tunnel, described as {n}." for n in range(6)}
    store, only = HomeStore(tmp_path), GitIgnoreSpec.from_lines(["quiet/"])
    fill(store, {**texts, **quiet})
    collection = store.open_collection("default", files=only)
    for k in (6, 60):
        assert sorted(hit["source"] for hit in collection.search("tunnel", k)) == sorted(quiet)
    assert collection.document_count == 6
    fill(store, {"quiet/new.md": "A tunnel that was dug later."})
    assert "quiet/new.md" in {hit["source"] for hit in collection.search("tunnel dug", 10)}
    collection.close()


def test_a_document_that_the_question_names_is_not_found_outside_the_glob(home):
    with open_reader(Settings(home=home, files="tunnel*")) as some:
        sources = {hit["source"] for hit in some.search("the viaduct page", 4)}
    assert sources == {"tunnel.md"}


def test_globs_may_be_several(home):
    asked = ("search", "line", "--json", "--files", "tunnel*", "--files", "via*")
    results = json.loads(crag(home, *asked).stdout)["results"]
    assert {each["source"] for each in results} == {"tunnel.md", "viaduct.md"}


@pytest.mark.parametrize("glob", ["*.pdf", "!"])
def test_a_glob_of_nothing_is_a_mistake_in_its_own_words(home, glob):
    with pytest.raises(UsageError, match=r"No document of 'default' matches|--files: "):
        open_reader(Settings(home=home, files=glob)).__enter__()
