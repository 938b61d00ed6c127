from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from local_corpus import build, grade_request
from memory_collection import MemoryCollection

from rag.embed.protocol import EmbedderIdentity
from rag.engines.local.grade import grade
from rag.engines.local.grader_model import grader_model


@pytest.fixture(scope="module")
def railway(tmp_path_factory):
    collection = build(tmp_path_factory.mktemp("home"))
    yield collection
    collection.close()


def graded_by_source(collection, question):
    request = grade_request(collection, question)
    graded = grade(request, collection)
    return {
        chunk["source"]: one for chunk, one in zip(request.chunks, graded.grades, strict=True)
    }, graded.sufficient


def test_the_chunk_that_answers_is_relevant_and_the_others_are_not(railway):
    grades, sufficient = graded_by_source(railway, "How many arches does the Tarn viaduct have?")
    assert [source for source, one in grades.items() if one["relevant"]] == ["bridge.md"]
    assert grades["bridge.md"]["verdict"] == "correct"
    assert sufficient


@pytest.mark.parametrize(
    "question",
    [
        "Which enzyme degrades serotonin in the synaptic cleft?",
        "Who won the football world cup in 1998?",
        "How do I install the printer driver on my laptop?",
    ],
)
def test_nothing_is_relevant_to_a_question_foreign_to_the_collection(railway, question):
    grades, sufficient = graded_by_source(railway, question)
    assert not any(one["relevant"] for one in grades.values())
    assert not sufficient


def test_the_reason_names_what_is_covered_and_what_is_not(railway):
    grades, _ = graded_by_source(railway, "electronic evidence in criminal cases")
    reasons = {one["reason"] for one in grades.values()}
    assert any(
        "covers" in reason and "'evidence'" in reason and "nothing on 'criminal'" in reason
        for reason in reasons
    ), reasons


def test_words_that_only_shape_a_question_are_neither_covered_nor_missing(railway):
    question = "How many arches does the viaduct have, and what kind of dogs are allowed?"
    grades, _ = graded_by_source(railway, question)
    reasons = " ".join(one["reason"] for one in grades.values())
    assert "'dogs'" in reasons
    assert not any(f"'{word}'" in reasons for word in ("many", "kind", "allowed"))


def test_a_question_of_such_words_alone_is_weighed_by_them(railway):
    grades, _ = graded_by_source(railway, "How much, and of what kind?")
    assert any("'much'" in one["reason"] for one in grades.values())


def test_a_misspelt_question_is_graded_as_it_was_meant(railway):
    grades, _ = graded_by_source(railway, "Who desinged the Tarn viaducct?")
    assert grades["bridge.md"]["relevant"]


def test_there_is_one_grade_a_chunk_in_order_and_twice_the_same(railway):
    request = grade_request(railway, "What does the buffet car sell?")
    first, second = grade(request, railway), grade(request, railway)
    assert [g["chunk_id"] for g in first.grades] == [c["chunk_id"] for c in request.chunks]
    assert first == second


def test_a_grade_does_not_depend_on_the_loop_that_found_the_chunk(railway):
    question = "What does the buffet car sell?"
    once = {g["chunk_id"]: g for g in grade(grade_request(railway, question), railway).grades}
    later = grade(grade_request(railway, question, query="goat cheese"), railway)
    shared = [g for g in later.grades if g["chunk_id"] in once]
    assert shared
    for one in shared:
        assert one == once[one["chunk_id"]]


def test_what_an_earlier_loop_found_counts_towards_enough(railway):
    question = "How many arches does the Tarn viaduct have?"
    request = grade_request(railway, question)
    first = grade(request, railway)
    earlier = {one["chunk_id"]: one for one in first.grades}
    unrelated = [c for c in request.documents if not earlier[c["chunk_id"]]["relevant"]][:1]
    later = grade(replace(request, chunks=unrelated, earlier=earlier), railway)
    assert first.sufficient
    assert later.sufficient
    assert not grade(
        replace(request, chunks=unrelated, documents=unrelated, earlier={}), railway
    ).sufficient


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(st.text(max_size=80))
def test_any_question_gets_calm_grades(railway, question):
    graded = grade(grade_request(railway, question, 4), railway)
    for one in graded.grades:
        assert one["confidence"] is not None
        assert 0.0 <= one["confidence"] <= 1.0
        assert not math.isnan(one["confidence"])
        assert (one["reason"] or "").isprintable()


@pytest.mark.parametrize(
    "question",
    [
        "",
        "?",
        "the of and",
        "\x1b[31mred\x1b[0m",
        "山の鉄道は夏にいつ走りますか",
        "Was kostet Käse?",
    ],
)
def test_odd_questions_and_other_languages_are_graded(railway, question):
    graded = grade(grade_request(railway, question), railway)
    assert len(graded.grades) == 8
    assert all("\x1b" not in (one["reason"] or "") for one in graded.grades)


def test_a_question_in_japanese_finds_its_passage(railway):
    grades, _ = graded_by_source(railway, "食堂車では何を売っていますか")
    assert max(grades, key=lambda source: grades[source]["confidence"]) == "ja.md"


def test_a_question_of_a_hundred_thousand_characters_is_read_in_part(railway):
    graded = grade(grade_request(railway, "viaduct gorge " * 7200), railway)
    assert len(graded.grades) == 8


def test_a_chunk_that_is_not_in_the_collection_is_graded_by_its_text(railway):
    request = grade_request(railway, "How many arches does the Tarn viaduct have?")
    from_web = {
        **request.chunks[0],
        "chunk_id": "web",
        "text": "The Tarn viaduct has fourteen arches of dressed stone.",
        "title": "Tarn viaduct",
        "heading": "",
        "cosine": None,
        "bm25": None,
    }
    graded = grade(replace(request, chunks=[from_web], documents=[from_web]), railway)
    assert graded.grades[0]["relevant"]


def test_no_chunk_no_grade(railway):
    graded = grade(grade_request(railway, "viaduct", chunks=[], documents=[]), railway)
    assert graded.grades == ()
    assert not graded.sufficient


def test_another_embedder_of_the_collection_changes_no_grade(railway, monkeypatch):
    request = grade_request(railway, "What does the buffet car sell?")
    usual = grade(request, railway)
    monkeypatch.setattr(
        type(railway.embedder), "identity", EmbedderIdentity("other", 3, "1"), raising=False
    )
    again = grade(request, railway)
    assert [one["relevant"] for one in again.grades] == [one["relevant"] for one in usual.grades]


def test_the_thresholds_of_the_data_file_are_in_order():
    model = grader_model()
    assert 0 < model.incorrect <= model.relevant < model.correct < 1


def test_of_a_topic_that_half_the_collection_speaks_of_the_passages_about_it_are_relevant():
    texts = {f"part{n}.md": f"The valve of hall {n} is turned by the keeper {n}." for n in range(9)}
    texts["valves.md"] = "A valve is a gate in a pipe that a hand wheel opens and closes."
    texts["soup.md"] = "The canteen serves soup at noon."
    collection = MemoryCollection(texts, {"valves.md": "Valves"})
    grades, sufficient = graded_by_source(collection, "What is a valve?")
    taken = {source for source, one in grades.items() if one["relevant"]}
    assert "valves.md" in taken
    assert "soup.md" not in taken
    assert len(taken) <= 3
    assert sufficient
    # A question with a matter of its own is no topic.
    grades, _ = graded_by_source(collection, "What is the pressure of a valve in bar?")
    assert not any("much here" in one["reason"] for one in grades.values())
