"""The golden questions of sample_corpus through the real session, with nothing downloaded."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crag import SAMPLES as ROOT
from crag import sample_home

from rag.evaluate.datasets import load_dataset
from rag.evaluate.metrics import contains, without_markers
from rag.session import open_session
from state.answer import Answer
from state.settings import load_settings

ROWS = [json.loads(line) for line in (ROOT / "questions.jsonl").read_text().splitlines()]
KINDS = {row["id"]: row["kind"] for row in ROWS}


class Asked:
    """One question with its answer; `sources` are paths below the corpus."""

    def __init__(self, query: Any, answer: Answer) -> None:
        self.query = query
        self.kind = KINDS[query.id]
        self.text = without_markers(answer["answer"])
        self.abstained = answer["status"] == "abstained"
        self.citations = answer["citations"]
        self.cited = {citation["source"] for citation in self.citations}
        held = [not self.abstained and contains(self.text, [each]) for each in query.answers]
        self.right_source = not self.abstained and bool(self.cited & set(query.relevant))
        self.holds_an_answer, self.holds_all_answers = any(held), all(held)

    def __repr__(self) -> str:
        said = "abstained" if self.abstained else self.text
        return f"\n{self.query.id} {self.query.text} -> {said} {sorted(self.cited)}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[Asked], Any]]:
    dataset = load_dataset(ROOT)
    home = sample_home(tmp_path_factory.mktemp("golden"))
    with open_session(load_settings({"home": home, "engine": "local"})) as session:
        assert session.reader.document_count == 28
        answers = [session.ask(query.text, history=query.history) for query in dataset.queries]
        asked = [Asked(*each) for each in zip(dataset.queries, answers, strict=True)]
        yield asked, session.reader


SOURCE, ANSWER, BOTH = ("right_source",), ("holds_an_answer",), ("right_source", "holds_an_answer")


@pytest.mark.parametrize(
    ("kind", "wanted", "share"),
    [
        ("answerable", SOURCE, 0.05),
        ("answerable", ANSWER, 0.15),
        ("absent", ("abstained",), 0.10),
        ("follow_up", BOTH, 0.2),
        ("two_hop", SOURCE, 0.2),
        ("contradicting", SOURCE, 0),
    ],
)
def test_nearly_all_questions_of_a_kind_are_answered_or_refused_rightly(run, kind, wanted, share):
    asked = of_kind(run, kind)
    wrong = [one for one in asked if not all(getattr(one, each) for each in wanted)]
    assert len(wrong) <= share * len(asked), wrong


def of_kind(run: tuple[list[Asked], Any], kind: str) -> list[Asked]:
    return [asked for asked in run[0] if asked.kind == kind]


def test_each_question_is_true_of_the_files_it_names(run):
    for row in ROWS:
        texts = [run[1].document_text(name) for name in row["relevant"]]
        assert row["answerable"] == bool(texts) == bool(row["answers"]), row
        assert bool(row["history"]) == (row["kind"] == "follow_up"), row
        whole = " ".join(" ".join(texts).casefold().split())
        assert all(each.casefold() in whole for each in row["answers"]), row
        if row["kind"] == "contradicting":
            told = [sum(contains(text, [each]) for each in row["answers"]) for text in texts]
            assert set(told) == {1}, row


def test_every_citation_quotes_its_file_verbatim(run):
    asked, reader = run
    citations = [citation for one in asked for citation in one.citations]
    assert len(citations) >= 50
    for citation in citations:
        text = reader.document_text(citation["source"])
        quote = text[citation["start_char"] : citation["end_char"]]
        assert citation["quote"] == quote, citation
        if Path(citation["source"]).suffix in {".md", ".txt"}:
            assert quote in (ROOT / citation["source"]).read_text(), citation


def test_typos_and_other_words_still_find_the_answer_or_are_refused(run):
    missed = [one for one in of_kind(run, "near_miss") if not one.right_source]
    assert len(missed) <= 4, missed
    assert all(one.abstained for one in missed), missed


def test_of_questions_that_documents_disagree_on_one_gives_both_values(run):
    asked = of_kind(run, "contradicting")
    assert any(one.holds_all_answers and len(one.cited) >= 2 for one in asked), asked
