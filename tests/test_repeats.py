from __future__ import annotations

from rag.index.repeats import first_of_each, is_repeat
from rag.index.terms import terms
from rag.ingest.sync import ingest
from rag.opening import build_embedder
from rag.session import open_session
from state.settings import load_settings

PAGE = (
    "The pump is primed by hand before the first start of the day. Open the bleed valve, turn the "
    "crank until oil shows, close the valve and wait for the needle to settle. {}\n"
)


def held(text):
    return frozenset(terms(text))


def test_a_text_with_another_figure_is_no_repeat():
    one, other = held(PAGE.format("It holds 12 litres.")), held(PAGE.format("It holds 14 litres."))
    assert is_repeat(one, one)
    assert not is_repeat(one, other)


def test_the_first_of_the_copies_stands_for_all():
    texts = {1: held(PAGE.format("")), 2: held("Something else."), 3: held(PAGE.format("Again."))}
    assert first_of_each([1, 2, 3], texts) == {1: [3], 2: []}


def test_copies_of_a_page_count_once_and_are_named(tmp_path):
    docs = tmp_path / "docs"
    for version in ("v1", "v2", "v3"):
        (docs / version).mkdir(parents=True)
        (docs / version / "pump.md").write_text(PAGE.format(""))
    (docs / "valve.md").write_text("The bleed valve is brass. It was cast in the old foundry.\n")
    settings = load_settings({"home": tmp_path / "home", "engine": "local"})
    ingest(settings, build_embedder(settings), [str(docs)])
    with open_session(settings) as session:
        found = session.reader.search("How is the pump primed?", 8)
        answer = session.ask("How is the pump primed?")
    assert len(found) == 2
    assert len(found[0]["also"]) == 2
    assert answer["answer"].count("primed by hand") == 1
    assert len(answer["citations"][0]["also"]) == 2
