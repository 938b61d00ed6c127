"""Research without a model: parts, documents that are followed, and what is quoted of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_collection import MemoryCollection

from rag.research.local_researcher import LocalResearcher, followed, leads_from
from rag.research.read_files import cited_from, markers_in, quoted, renumbered
from rag.research.researcher import Planned, ReadFile, View
from rag.research.roles import ROLES
from state.answer import Citation
from state.research_state import EVERYTHING, Artifact
from state.usage import NO_USAGE

TEXTS = {
    "bridge.md": "The Stone Bridge was designed by the engineer Anna Berg.",
    "anna.md": "Anna Berg was born in the town of Lund in 1841.",
    "lena.md": "Lena Holt was born in the town of Viborg in 1860.",
    "band.md": "A trio that was formed in Toronto.",
}
TITLES = {
    "bridge.md": "Stone Bridge",
    "anna.md": "Anna Berg",
    "lena.md": "Lena Holt",
    "band.md": "Rush (band)",
}
BIRTH = "In which town was the engineer who designed the Stone Bridge born?"


@pytest.fixture(scope="module")
def collection() -> Any:
    return MemoryCollection(TEXTS, TITLES)


def cited(source: str, marker: int = 1, passage: str | None = None) -> Citation:
    text = passage or TEXTS[source]
    return {
        "marker": marker,
        "source": source,
        "title": TITLES.get(source),
        "page": None,
        "start_line": 1,
        "end_line": 1,
        "start_char": 0,
        "end_char": len(text),
        "chunk_id": source,
        "quote": text,
        "passage": text,
        "support": "verbatim",
    }


def artifact(content: str, *citations: Citation) -> Artifact:
    return {
        "name": "a.md",
        "subtask": "1",
        "role": "searcher",
        "instruction": "q",
        "content": content,
        "status": "done",
        "citations": list(citations),
        "missing": [],
        "warnings": [],
        "usage": NO_USAGE,
    }


def plan(collection: Any, question: str, *leads: str) -> Planned:
    earlier: Any = [{"id": "0", "instruction": question}] if leads else []
    view = View(question, tuple(ROLES.values()), earlier, leads=leads)
    return LocalResearcher(collection).plan(view)


def searched(planned: Planned) -> list[str]:
    return [task["instruction"] for task in planned.subtasks if task["role"] == "searcher"]


def test_each_part_is_a_search_and_the_writer_waits_for_them(collection: Any):
    planned = plan(collection, "Who designed the Stone Bridge and where was Lena Holt born?")
    assert searched(planned) == ["Who designed the Stone Bridge", "where was Lena Holt born?"]
    assert planned.subtasks[-1]["role"] == "writer"
    assert planned.subtasks[-1]["read_files"] == [EVERYTHING]


def test_it_of_a_later_part_is_asked_with_what_it_stands_for(collection: Any):
    first, second = searched(plan(collection, "Who was Anna Berg and where was she born?"))
    assert first == "Who was Anna Berg"
    assert second.startswith("where was she born?")
    assert "Berg" in second


def test_a_document_that_a_passage_names_is_asked_what_is_left_open(collection: Any):
    leads = leads_from(BIRTH, [cited("bridge.md")], collection)
    assert leads == ["“Anna Berg”: town born"]
    (search, _writer) = plan(collection, BIRTH, *leads).subtasks
    assert (search["instruction"], search["names"]) == (leads[0], ["Anna Berg"])


def test_a_document_that_the_question_names_is_asked_too(collection: Any):
    question = "Were Anna Berg and Lena Holt born in the town of Lund?"
    assert leads_from(question, [cited("anna.md")], collection) == ["“Lena Holt”: Lena Holt"]


def test_what_tells_a_title_from_its_like_is_not_looked_for(collection: Any):
    passage = "Its drummer left Rush."
    asked = leads_from("Where was the drummer's trio formed?", [cited("x", 1, passage)], collection)
    assert [followed(lead) for lead in asked] == ["Rush (band)"]


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("Who designed the Stone Bridge?", "bridge.md"),  # nothing is left open
        ("Who painted the Stone Bridge?", "bridge.md"),  # what is left stands in neither
        ("Where was the engineer born?", "band.md"),  # nobody is named
    ],
)
def test_nothing_is_followed_without_a_reason(collection: Any, question: str, source: str):
    assert leads_from(question, [cited(source)], collection) == []


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_lead_gives_its_title_back_and_no_text_is_taken_for_one(title: str, words: str):
    lead = f"“{title}”: {words}"
    assert followed(lead) == title.partition("”: ")[0]
    assert followed(title.lstrip("“")) is None


CODE = cited("code.md", 2, "Take the first:\n\n```\nfirst = found[1]\nlast = found[2]\n```")
SHOWN = "Take the first:\n\n```\nfirst = found[1]\nlast = found[2]\n```\n[2]"


def test_what_looks_like_a_marker_in_quoted_code_is_none():
    text = f"{TEXTS['bridge.md']} [1]\n\n{SHOWN}"
    found = artifact(text, cited("bridge.md"), CODE)
    markers = [int(marker[1]) for marker in markers_in(text, found["citations"])]
    assert markers == [1, 2]
    places = {("bridge.md", 0, len(TEXTS["bridge.md"])): 7, ("code.md", 0, len(CODE["quote"])): 1}
    shown = renumbered(found, places)
    assert shown == f"{TEXTS['bridge.md']} [7]\n\n{SHOWN[:-3]}[1]"


def test_of_an_answer_only_what_the_document_says_is_kept():
    text = f"{TEXTS['anna.md']} [1]\n\n{SHOWN}\n\n{TEXTS['lena.md']} [3]"
    every = [cited("anna.md"), CODE, cited("lena.md", 3)]
    assert cited_from(["Lena Holt"], text, every) == (f"{TEXTS['lena.md']} [3]", every[2:])
    assert cited_from(["Nobody"], text, every) == ("", [])


def test_the_writer_quotes_the_files_whole_under_what_was_asked(collection: Any):
    files = [
        ReadFile("a.md", BIRTH, f"{TEXTS['bridge.md']} [1]"),
        ReadFile("b.md", "“Anna Berg”: town born", f"{TEXTS['anna.md']} [2]"),
    ]
    researcher = LocalResearcher(collection)
    composed = researcher.compose(ROLES["writer"], BIRTH, files, ())
    assert composed.content == (
        f"{files[0].content}\n\n## “Anna Berg”: town born\n\n{files[1].content}"
    )
    read = [artifact(files[0].content, cited("bridge.md")), artifact("", cited("anna.md"))]
    assert [c["marker"] for c in quoted(composed.content, read)[1]] == [1, 2]


@pytest.mark.parametrize("role", ["comparer", "timeline", "skeptic"])
def test_no_role_composes_without_a_model(collection: Any, role: str):
    files = [ReadFile("a.md", "q", "Told. [1]")]
    assert LocalResearcher(collection).compose(ROLES[role], "q", files, ()).content == ""
