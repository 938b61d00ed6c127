"""Research without a model: parts, and documents that are followed."""

from __future__ import annotations

from typing import Any

import pytest
from research_library import TWO_HOPS, library

from rag.opening import open_reader
from rag.research.local_researcher import LocalResearcher, followed, leads_from
from rag.research.researcher import Planned, View
from rag.research.roles import ROLES


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with open_reader(library(tmp_path_factory.mktemp("local")).settings, print) as opened:
        yield opened


def cited(reader: Any, source: str) -> Any:
    text = reader.document_text(source)
    return {"title": reader.document(source).title, "source": source, "passage": text}


def plan(reader: Any, question: str, *leads: str) -> Planned:
    earlier: Any = [{"id": "0", "instruction": question}] if leads else []
    view = View(question, tuple(ROLES.values()), earlier, leads=leads)
    return LocalResearcher(reader, lambda _question: pytest.fail("nothing is asked")).plan(view)


def test_each_part_is_a_search(reader: Any):
    planned = plan(reader, "Who designed the Stone Bridge and where was Lena Holt born?")
    assert [task["instruction"] for task in planned.subtasks] == [
        "Who designed the Stone Bridge",
        "where was Lena Holt born?",
    ]


def test_a_document_that_a_passage_names_is_a_lead_with_what_is_left(reader: Any):
    (lead,) = leads_from(TWO_HOPS, [cited(reader, "stone-bridge.md")], reader)
    assert followed(lead) == "Anna Berg"
    (task,) = plan(reader, TWO_HOPS, lead).subtasks
    assert task["read_files"] == ["anna-berg.md"]


def test_nothing_is_followed_where_nothing_is_left_or_named(reader: Any):
    both = [cited(reader, "stone-bridge.md"), cited(reader, "anna-berg.md")]
    assert leads_from(TWO_HOPS, both, reader) == []
    assert leads_from(TWO_HOPS, [], reader) == []


def test_a_question_in_quotes_follows_no_document():
    assert followed("“Anna Berg") is None
    assert followed("Who is Anna Berg?") is None
