"""Research without a model: each part is a search of its own."""

from __future__ import annotations

from typing import Any

import pytest
from research_library import library

from rag.opening import open_reader
from rag.research.local_researcher import LocalResearcher, enumerated
from rag.research.researcher import View
from state.research_state import new_research


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with open_reader(library(tmp_path_factory.mktemp("local")).settings, print) as opened:
        yield opened


def test_each_part_is_a_search(reader: Any):
    question = "Who designed the Stone Bridge and where was Lena Holt born?"
    view = View(new_research(question, "r"))
    planned = LocalResearcher(reader, lambda _: pytest.fail("nothing is asked")).plan(view)
    assert [task["instruction"] for task in planned.subtasks] == [
        "Who designed the Stone Bridge",
        "where was Lena Holt born?",
    ]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How long is it, who built it, and is it open?", 3),
        ("How is it long, and in Go, what is it?", 2),
        ("For the bridge: how long is it, does it move?", 2),
        ("If it rains, is it open?", 1),
        ("How long is the bridge, that was built in 1884, today?", 1),
    ],
)
def test_a_list_of_questions_is_told_from_a_condition(question: str, parts: int):
    assert enumerated(question).count("?") == parts
