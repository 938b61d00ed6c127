from __future__ import annotations

import pytest
from index_samples import EMBEDDER, document, open_collection, open_writer, part
from local_corpus import build, grade_request, graded


@pytest.fixture(scope="module")
def railway(tmp_path_factory):
    collection = build(tmp_path_factory.mktemp("home"))
    yield collection
    collection.close()


def graded_by_source(collection, question):
    request = grade_request(collection, question)
    found = graded(request, collection)
    return {
        chunk["source"]: one for chunk, one in zip(request.chunks, found.grades, strict=True)
    }, found.sufficient


def test_the_chunk_that_answers_is_relevant_and_the_others_are_not(railway):
    grades, sufficient = graded_by_source(railway, "How many arches does the Tarn viaduct have?")
    assert [source for source, one in grades.items() if one["relevant"]] == ["bridge.md"]
    assert sufficient


def test_what_a_file_is_called_counts_as_held(tmp_path):
    """It has no title, and its text does not say what it is."""
    with open_writer(tmp_path, "railway", EMBEDDER.identity) as writer:
        text = "Consultation 38.00. Vaccine 21.50. Paid by card."
        writer.put(document("vet_bill.txt", title=None), [part("vet_bill.txt", text)])
        writer.put(document("fares.txt", title=None), [part("fares.txt", "A return ticket.")])
    collection = open_collection(tmp_path, "railway", EMBEDDER)
    grades, _ = graded_by_source(collection, "How much was the vet bill?")
    assert "covers 'bill', 'vet'" in (grades["vet_bill.txt"]["reason"] or "")
    collection.close()
