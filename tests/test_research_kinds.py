"""What a report holds for questions of each kind, over a real index and the local engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from research_library import library

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


def test_of_a_comparison_both_things_are_told_and_nothing_beside_them(run: Research):
    report = run.start("Compare the Stone Bridge and the Iron Bridge.")
    assert "140 metres" in report["report"]
    assert "95 metres" in report["report"]
    assert sources(report) == {"stone-bridge.md", "iron-bridge.md"}
    assert {"What is known of the Stone Bridge?"} <= {s["title"] for s in report["sections"]}


def test_the_absent_half_of_a_comparison_is_named_and_not_made_up(run: Research):
    report = run.start("Which is longer, the Stone Bridge or the Glass Bridge?")
    assert "140 metres" in report["answer"]
    assert "What is known of the Glass Bridge?" in report["not_found"]
    assert sources(report) == {"stone-bridge.md"}


def test_questions_side_by_side_are_answered_in_their_order(run: Research):
    report = run.start("When was the quarry closed, and where was Lena Holt born?")
    assert report["answer"].index("1931") < report["answer"].index("Viborg")
    assert [section["title"] for section in report["sections"]] == [
        "When was the quarry closed?",
        "Where was Lena Holt born?",
    ]


def test_the_absent_one_of_two_questions_is_what_could_not_be_found(run: Research):
    report = run.start("When was the quarry closed and what is the melting point of tungsten?")
    assert "1931" in report["answer"]
    assert report["not_found"] == ["What is the melting point of tungsten?"]


def test_a_topic_of_a_word_is_told_from_its_own_document(run: Research):
    report = run.start("quarry")
    assert report["status"] == "answered"
    assert sources(report) == {"quarry.md"}


def test_a_simple_question_follows_no_names(run: Research):
    report = run.start("How long is the Iron Bridge?")
    assert "95 metres" in report["answer"]
    assert (report["rounds"], sources(report)) == (2, {"iron-bridge.md"})


def test_a_place_of_one_line_is_given_as_one(run: Research):
    report = run.start("How long is the Iron Bridge?")
    assert "iron-bridge.md:3: “" in report["report"]


def test_each_document_of_a_kind_is_asked_by_itself(run: Research):
    report = run.start("What does each bridge document say about the engineer?")
    assert "What does “Stone Bridge” say about the engineer?" in [
        section["title"] for section in report["sections"]
    ]
    assert sources(report) == {"stone-bridge.md", "iron-bridge.md"}


def test_who_someone_is_is_told_whatever_language_asks(run: Research):
    assert "Lund" in run.start("Wer war Anna Berg?")["answer"]


def test_a_finished_report_names_no_day_as_a_lead(run: Research):
    report = run.start("Which town on the river Aske holds its market on which day of the week?")
    assert not any("Friday" in asked for asked in [*report["not_found"], *report["repeated"]])


def test_the_answer_of_a_comparison_holds_what_settles_it_and_counts_from_one(run: Research):
    answer = run.start("Which is longer, the Stone Bridge or the Iron Bridge?")["answer"]
    assert "140 metres" in answer
    assert "95 metres" in answer
    assert answer.index("[1]") < answer.index("[2]")
