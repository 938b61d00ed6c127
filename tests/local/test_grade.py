import pytest
from index_samples import open_collection
from local_corpus import StaticReranker, graded, searched
from openai_samples import chunk_of
from shared_stores import fill

from rag.engines.local.grade import answer_features, lacking_numbers, probability_of
from rag.engines.local.grader_model import grader_model
from rag.index.home.store import HomeStore


def test_what_a_file_is_called_counts_as_held(tmp_path):
    """It has no title, and its text does not say what it is."""
    text = "Consultation 38.00. Vaccine 21.50. Paid by card."
    texts = {"vet_bill.txt": text, "fares.txt": "A return ticket."}
    fill(HomeStore(tmp_path), texts, "railway")
    collection = open_collection(tmp_path, "railway")
    state = searched(collection, "How much was the vet bill?")
    told = zip(state["documents"], graded(state, collection).grades, strict=True)
    grades = {chunk["source"]: grade for chunk, grade in told}
    assert "covers 'bill', 'vet'" in (grades["vet_bill.txt"]["reason"] or "")
    collection.close()


def test_what_corrections_bring_does_not_make_the_best_stand_out(railway):
    state = searched(railway, "How many arches does the Tarn viaduct have?")
    part = state["parts"][0]
    own = state["documents"][:2]
    brought = [{**chunk, "loop": 1} for chunk in state["documents"][2:]]
    alone, more = (answer_features(part, each, StaticReranker()) for each in (own, own + brought))
    assert 0 < more["margin"] <= alone["margin"]
    few = answer_features(part, state["documents"][:1], StaticReranker())
    assert few["margin"] == pytest.approx(alone["margin"], abs=0.1), "however few are shown"


@pytest.mark.parametrize(
    ("question", "heading", "text", "lacking"),
    [
        ("when was ADR 13 accepted", "ADR 12", "Accepted in May.", ["13"]),
        ("when was ADR 12 accepted", "ADR-0012", "Accepted in May.", []),
        ("what does F12 mean", "Errors", "F11: the door. 12 more follow.", ["F12"]),
        ("what does E-12 mean", "Errors", "E12: the pump.", []),
        ("the 4 schools of medicine", "", "There were four schools.", []),
        ("what was built in 2011", "", "It was built in 2012.", ["2011"]),
        ("what happened on 24 May 2026", "2026-05-24", "Rain.", []),
        ("what happened on 24/05/2026", "2026-05-24", "Rain.", []),
        ("what happened on 2026-05-24", "", "On 24 May 2026 it rained.", []),
        ("does it run on Python 3.9", "", "Python 3.10 is needed.", ["3.9"]),
        ("I have been here 5 years, is that enough", "", "After some years it is.", []),
        ("compacting a 7GB file fails", "", "Large files need room.", []),
        ("a discount of 15% for groups", "", "Groups pay less.", []),
    ],
)
def test_a_number_of_the_question_stands_in_the_chunk_or_is_lacking(
    question, heading, text, lacking
):
    assert lacking_numbers(question, {**chunk_of("a", text), "heading": heading}) == lacking


def test_an_answer_on_another_number_is_not_sure(railway):
    found = {}
    for asked in ("How many arches does the Tarn viaduct have?", "Who led locomotive 7719?"):
        state = searched(railway, asked)
        found[asked] = answer_features(state["parts"][0], state["documents"], StaticReranker())
    assert [each["lacking"] for each in found.values()] == [0, 1]
    sure = {"judged": 9.0, "margin": 1.0}
    reader = grader_model().reader
    known = [probability_of({**sure, "lacking": lacking}, reader) for lacking in (0.0, 1.0)]
    assert [reader.threshold <= each for each in known] == [True, False]
