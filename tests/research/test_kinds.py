"""What a report holds for questions of each kind, over a real index and the local engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from research_library import ABSENT, TWO_HOPS, library

from rag.research.report import Report
from rag.research.run import Research
from state.settings import load_settings


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Research]:
    home = library(tmp_path_factory.mktemp("kinds")).settings.home
    with Research(load_settings({"home": home, "engine": "local"})) as research:
        yield research


def sources(report: Report) -> set[str]:
    return {Path(citation["source"]).name for citation in report["citations"]}


def test_of_a_comparison_both_things_are_quoted_and_nothing_beside_them(run: Research):
    report = run.start("Compare the Stone Bridge and the Iron Bridge.")
    assert "140 metres" in report["answer"]
    assert "95 metres" in report["answer"]
    assert sources(report) == {"stone-bridge.md", "iron-bridge.md"}


def test_questions_side_by_side_are_answered_in_their_order(run: Research):
    report = run.start("When was the quarry closed, and where was Lena Holt born?")
    first, second = "When was the quarry closed", "where was Lena Holt born?"
    assert report["answer"].index(f"## {first}\n") < report["answer"].index("1931")
    assert report["answer"].index("1931") < report["answer"].index(f"## {second}\n")
    assert report["answer"].index(second) < report["answer"].index("Viborg")
    assert [section["title"] for section in report["sections"]] == [first, second]
    assert report["report"].count("Viborg") == 2, "in its section and among the sources"


def test_the_absent_one_of_two_questions_is_named_with_the_places_nearest_to_it(run: Research):
    report = run.start("When was the quarry closed and what is the melting point of tungsten?")
    assert "1931" in report["answer"]
    assert report["not_found"] == ["what is the melting point of tungsten?"]
    (nearest,) = report["nearest"]
    assert nearest["question"] == report["not_found"][0]
    places = ", ".join(f"{c['source']}:{c['start_line']}" for c in nearest["citations"])
    assert places
    assert f"- {report['not_found'][0]} Nearest: {places}" in report["report"]
    assert sources(report) == {"quarry.md"}


def test_what_lies_nearest_is_named_where_nothing_was_found_at_all(run: Research):
    report = run.start(ABSENT)
    assert (report["status"], report["answer"], report["citations"]) == ("waiting", "", [])
    assert f"- {ABSENT} Nearest: " in report["report"]


def test_what_is_quoted_stands_in_the_documents(run: Research):
    report = run.start(TWO_HOPS)
    for citation in report["citations"]:
        text = run.session.reader.document_text(citation["source"])
        assert text is not None
        assert text[citation["start_char"] : citation["end_char"]] == citation["quote"]
        assert citation["passage"] in text
        assert f"{' '.join(citation['quote'].split())}" in " ".join(report["answer"].split())


def test_a_name_that_was_found_is_followed_to_its_document_and_no_further(run: Research):
    report = run.start(TWO_HOPS)
    assert "The Stone Bridge was designed by the engineer Anna Berg." in report["answer"]
    assert (
        "\n\n## “Anna Berg”: town born\n\nAnna Berg\n\nAnna Berg was born in the town of Lund"
        in (report["answer"])
    )
    assert (report["rounds"], sources(report)) == (2, {"stone-bridge.md", "anna-berg.md"})


def test_a_topic_of_a_word_is_told_from_its_own_document(run: Research):
    report = run.start("quarry")
    assert report["status"] == "answered"
    assert sources(report) == {"quarry.md"}


def test_a_simple_question_is_one_round_and_follows_no_names(run: Research):
    report = run.start("How long is the Iron Bridge?")
    assert "95 metres" in report["answer"]
    assert (report["rounds"], sources(report)) == (1, {"iron-bridge.md"})


def test_a_place_of_one_line_is_given_as_one(run: Research):
    report = run.start("How long is the Iron Bridge?")
    assert "iron-bridge.md:3: “" in report["report"]


def test_who_someone_is_is_told_whatever_language_asks(run: Research):
    assert "Lund" in run.start("Wer war Anna Berg?")["answer"]
