import pytest
from index_samples import open_collection
from local_corpus import StaticReranker, build, graded, searched
from shared_stores import fill

from rag.engines.local.grade import Pool, answer_features
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


def test_what_corrections_bring_does_not_make_the_best_stand_out(tmp_path):
    collection = build(tmp_path)
    state = searched(collection, "How many arches does the Tarn viaduct have?")
    pool = Pool.of(state["parts"][0]["question"], state["parts"][0]["pool"])
    own = state["documents"][:2]
    brought = [{**chunk, "loop": 1} for chunk in state["documents"][2:]]
    alone, more = (answer_features(pool, each, StaticReranker()) for each in (own, own + brought))
    assert 0 < more["margin"] <= alone["margin"]
    few = answer_features(pool, state["documents"][:1], StaticReranker())
    assert few["margin"] == pytest.approx(alone["margin"], abs=0.1), "however few are shown"
    collection.close()
