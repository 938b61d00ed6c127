from __future__ import annotations

import pytest
from local_corpus import build, grade_request

from rag.engines.local.grade import grade


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
