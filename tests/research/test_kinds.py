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


def test_of_a_comparison_both_things_are_shown_and_nothing_beside_them(run: Research):
    report = run.start("Compare the Stone Bridge and the Iron Bridge.")
    assert "140 metres" in report["report"]
    assert "95 metres" in report["report"]
    assert sources(report) == {"stone-bridge.md", "iron-bridge.md"}


def test_questions_side_by_side_have_a_section_each_in_their_order(run: Research):
    report = run.start("When was the quarry closed, and where was Lena Holt born?")
    first, second = report["sections"]
    assert (first["asked"], second["asked"]) == (
        "When was the quarry closed?",
        "where was Lena Holt born?",
    )
    assert "1931" in first["text"]
    assert "Viborg" in second["text"]
    assert (report["status"], report["not_found"]) == ("answered", [])
    assert report["report"].count("Viborg") == 2, "in its section and among the sources"


def test_the_absent_one_of_two_questions_is_named(run: Research):
    report = run.start("When was the quarry closed and what is the melting point of tungsten?")
    assert "1931" in report["report"]
    assert report["status"] == "partial"
    assert report["not_found"] == ["what is the melting point of tungsten?"]
    told = f"## Not found in the documents\n\n- {report['not_found'][0]}\n  - nearest: "
    assert told in report["report"]
    assert sources(report) == {"quarry.md"}


def test_where_nothing_is_found_nothing_is_shown(run: Research):
    report = run.start(ABSENT)
    assert (report["status"], report["sections"], report["citations"]) == ("waiting", [], [])
    assert report["not_found"] == [ABSENT]


def test_what_is_cited_stands_in_the_documents(run: Research):
    report = run.start(TWO_HOPS)
    for citation in report["citations"]:
        text = run.session.reader.document_text(citation["source"])
        assert text is not None
        assert text[citation["start_char"] : citation["end_char"]] == citation["quote"]


def test_a_topic_of_a_word_is_told_from_its_own_document(run: Research):
    report = run.start("quarry")
    assert report["status"] == "answered"
    assert sources(report) == {"quarry.md"}


def test_a_simple_question_is_one_round(run: Research):
    report = run.start("How long is the Iron Bridge?")
    assert "95 metres" in report["report"]
    assert "iron-bridge.md:3: “" in report["report"]
    assert (report["rounds"], sources(report)) == (1, {"iron-bridge.md"})


def test_who_someone_is_is_told_whatever_language_asks(run: Research):
    assert "Lund" in run.start("Wer war Anna Berg?")["report"]
