"""Grades chunks by a calibrated logistic over features of words and meaning; no model call.

CRAG's retrieval evaluator (Yan et al. 2024) with a logistic in place of its fine-tuned T5.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from rag.embed.builtin import BuiltinEmbedder
from rag.embed.protocol import Embedder
from rag.engines.local.asked import read_question
from rag.engines.local.features import Shown, measure_chunks
from rag.engines.local.field import Field, read_field
from rag.engines.local.grader_model import GraderModel, grader_model
from rag.engines.local.known import enough_features, known_features
from rag.engines.local.reasons import reason_for
from rag.engines.local.snippets import Snippets
from rag.engines.local.topic import defining_chunks, topic_chunks
from rag.engines.local.words import read_terms
from rag.engines.protocol import Graded, GradeRequest
from rag.index.protocol import CollectionReader
from state.grades import Grade, Verdict
from state.passages import is_web


def grade(request: GradeRequest, collection: CollectionReader) -> Graded:
    model = grader_model()
    embedder = _grading_embedder(collection)
    if request.chunks and all(is_web(chunk) for chunk in request.chunks):
        collection = Snippets(request.chunks, collection, embedder)
    field = read_field(read_question(request.question, collection), collection, embedder)
    new = {chunk["chunk_id"]: chunk for chunk in request.chunks}
    top = {chunk["chunk_id"]: chunk for chunk in field.top}
    every = list({**top, **new}.values())
    measured = dict(
        zip(
            [chunk["chunk_id"] for chunk in every],
            measure_chunks(every, field, collection, embedder),
            strict=True,
        )
    )
    known = model.known.probability(known_features(field, [measured[key] for key in top]))
    grades = tuple(
        _grade(chunk["chunk_id"], measured[chunk["chunk_id"]], field, known, model)
        for chunk in request.chunks
    )
    taken = defining_chunks(field, request.chunks)
    grades = _taking(grades, taken, "says what it is")
    if model.knows(known, field.chunk_count) and not any(
        each["relevant"] for each in [*request.earlier.values(), *grades]
    ):
        confidences = {each["chunk_id"]: each["confidence"] or 0.0 for each in grades}
        taken = topic_chunks(field, request.chunks, confidences)
        grades = _taking(grades, taken, "much here is about that")
    if taken:
        return Graded(grades=grades, sufficient=True)
    enough = _enough(request, grades, field, model)
    return Graded(grades=grades, sufficient=enough >= model.enough.threshold)


def _taking(grades: Sequence[Grade], wanted: Collection[str], why: str) -> tuple[Grade, ...]:
    """With those `wanted` relevant: no likelier to be the right ones, but they answer."""
    return tuple(
        {
            **grade,
            "relevant": True,
            "verdict": "ambiguous",
            "reason": f"{grade['reason']}; {why}",
        }
        if grade["chunk_id"] in wanted and not grade["relevant"]
        else grade
        for grade in grades
    )


def _grade(chunk_id: str, shown: Shown, field: Field, known: float, model: GraderModel) -> Grade:
    probability = model.confidence(shown.features, known)
    relevant = model.knows(known, field.chunk_count) and probability >= model.relevant
    return {
        "chunk_id": chunk_id,
        "relevant": relevant,
        "verdict": _verdict(probability, model, relevant=relevant),
        "confidence": round(probability, 4),
        "reason": reason_for(field.asked, shown),
        "grader": "local",
    }


def _verdict(probability: float, model: GraderModel, *, relevant: bool) -> Verdict:
    if relevant and probability >= model.correct:
        return "correct"
    return "incorrect" if probability < model.incorrect else "ambiguous"


def _enough(
    request: GradeRequest,
    grades: Sequence[Grade],
    field: Field,
    model: GraderModel,
) -> float:
    every: Mapping[str, Grade] = {
        **request.earlier,
        **{grade["chunk_id"]: grade for grade in grades},
    }
    relevant = {key: grade for key, grade in every.items() if grade["relevant"]}
    if not relevant:
        return 0.0
    held = [read_terms(chunk).held for chunk in request.documents if chunk["chunk_id"] in relevant]
    sure = [grade["confidence"] or 0.0 for grade in relevant.values()]
    return model.enough.probability(enough_features(field, sure, held))


def _grading_embedder(collection: CollectionReader) -> Embedder:
    """The embedder that the coefficients were fitted with, whatever searched."""
    builtin = _builtin_embedder()
    own = collection.embedder
    return own if own.identity == builtin.identity else builtin


@cache
def _builtin_embedder() -> BuiltinEmbedder:
    return BuiltinEmbedder()
