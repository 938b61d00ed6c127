"""What a report holds for questions of each kind, over a real index and the local engine."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from research_library import ABSENT, THREE_PARTS, library

from rag.research.report import Report
from rag.research.research_prompts import table_of_contents
from rag.research.run import Research
from state.errors import UsageError
from state.settings import load_settings


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Research]:
    home = library(tmp_path_factory.mktemp("kinds"))
    with Research(load_settings({"home": home, "engine": "local"})) as research:
        yield research


BRIDGES = {"stone-bridge", "iron-bridge"}


def sources(report: Report) -> set[str]:
    return {Path(citation["source"]).stem for citation in report["citations"]}


@pytest.mark.parametrize(
    ("question", "held", "cited"),
    [
        ("Compare the Stone Bridge and the Iron Bridge.", ["140 metres", "95 metres"], BRIDGES),
        ("quarry", ["1931"], {"quarry"}),
        ("How long is the Iron Bridge?", ["95 metres", "iron-bridge.md:3: “"], {"iron-bridge"}),
        ("Wer war Anna Berg?", ["Lund"], {"anna-berg"}),
    ],
)
def test_what_is_asked_is_shown_and_nothing_beside_it(run: Research, question, held, cited):
    report = run.start(question)
    assert all(words in report["report"] for words in held)
    assert (report["status"], report["rounds"]) == ("answered", 1)
    assert cited <= sources(report)
    for citation in report["citations"]:
        text = run.session.reader.document_text(citation["source"]) or ""
        assert text[citation["start_char"] : citation["end_char"]] == citation["quote"]


def test_an_answer_is_heeded_once_though_nothing_more_was_told(run: Research, monkeypatch):
    asked = run.start(ABSENT)
    assert (asked["status"], asked["rounds"]) == ("waiting", 1)
    with monkeypatch.context() as patch:
        patch.setattr("rag.research.run.make_report", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run.resume(asked["run_id"], "Zeppelins")
    with pytest.raises(UsageError, match="waits for an answer"):
        run.resume(asked["run_id"])


def test_questions_side_by_side_have_a_section_each_in_their_order(run: Research):
    report = run.start("When was the quarry closed, and where was Lena Holt born?")
    headings = [section["heading"] for section in report["sections"]]
    assert headings == ["When was the quarry closed", "Where was Lena Holt born"]
    assert "1931" in report["sections"][0]["text"]
    assert "Viborg" in report["sections"][1]["text"]
    assert (report["status"], report["not_found"]) == ("answered", [])
    assert report["report"].count("Viborg") == 2, "in its section and among the sources"


def test_what_an_earlier_section_says_is_not_said_again(run: Research):
    report = run.start("How long is the Iron Bridge, and how many metres long is the Iron Bridge?")
    assert [section["text"].count("95 metres") for section in report["sections"]] == [1]


def test_the_absent_one_of_two_questions_is_named_with_what_is_nearest(run: Research):
    report = run.start("When was the quarry closed and what is the melting point of tungsten?")
    assert "1931" in report["report"]
    assert report["status"] == "partial"
    assert report["not_found"] == ["what is the melting point of tungsten?"]
    told = f"## Not found in the documents\n\n- {report['not_found'][0]}\n  - nearest: "
    assert told in report["report"]
    assert sources(report) == {"quarry"}


def test_a_table_of_contents_begins_with_what_is_near_and_says_what_it_leaves_out(run, monkeypatch):
    _, *lines = table_of_contents(run.session.reader, [THREE_PARTS]).splitlines()
    near = {line.split()[1] for line in lines[:3]}
    assert near == {"quarry.md", "lena-holt.md", "iron-bridge.md"}
    monkeypatch.setattr("rag.research.research_prompts.MOST_TOKENS", 60)
    count, *lines, rest = table_of_contents(run.session.reader, [THREE_PARTS]).splitlines()
    assert rest == f"… and {int(count.split()[0]) - len(lines)} more"
