"""Grades chunks by a calibrated logistic over features of words and meaning; no model call.

CRAG's retrieval evaluator (Yan et al. 2024) with a logistic in place of its fine-tuned T5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.embed.builtin import fitted_embedder
from rag.embed.protocol import Embedder
from rag.engines.local.candidate_pool import CandidatePool, read_pool
from rag.engines.local.features import Shown, measure_chunks
from rag.engines.local.grader_model import GraderModel, grader_model
from rag.engines.local.in_domain import in_domain_features
from rag.engines.local.reasons import reason_for
from rag.engines.protocol import Graded, GradeRequest
from rag.index.protocol import CollectionReader
from rag.question.parse import FEW_CHUNKS
from rag.question.parts import QuestionPart
from rag.reading.meaning import Meaning
from rag.reading.snippets import promise
from state.passages import Grade, RelevanceVerdict, RetrievedChunk, is_web

SURELY_NAMED = 0.7
"""From here on a question is held to name a document (`meant`): by its number, or in several words
that no other document is called by."""


def grade(
    request: GradeRequest, collection: CollectionReader, meaning: Meaning | None = None
) -> Graded:
    """A chunk is as relevant as it is to the question within the question that it suits best. Where
    a transformer reads the question, what it finds nearest says whether the collection answers.
    """
    model = grader_model()
    embedder = fitted_embedder(collection.embedder)
    judged = [_judge(part, request.chunks, collection, embedder, model) for part in request.parts]
    grades = [
        max(of_parts, key=_confidence)
        for of_parts in zip(*(each.grades for each in judged), strict=True)
    ]
    in_domain = tuple(each.in_domain for each in judged)
    reads = meaning is not None and meaning.reads and not all(map(is_web, request.documents))
    if meaning is not None and reads:
        found = [promise(part.question, request.documents, meaning) for part in request.parts]
        in_domain = tuple(round(model.reader.probability(each), 4) for each in found)
        grades = [_heeding(max(in_domain, default=0.0), each, model) for each in grades]
    if any(map(model.is_in_domain, in_domain)) and not any(
        each["relevant"] for each in [*request.earlier.values(), *grades]
    ):
        grades = _with_nearest(grades)
    # Of 176 questions on documentation one more was answered by correcting what is known of.
    sufficient = all(map(model.is_in_domain, in_domain))
    return Graded(tuple(grades), sufficient=sufficient, in_domain=in_domain)


def _heeding(in_domain: float, each: Grade, model: GraderModel) -> Grade:
    """As the reader sees the collection: relevant is only what is likely to hold an answer."""
    relevant = model.is_in_domain(in_domain) and (each["confidence"] or 0.0) >= model.relevant
    verdict = _verdict(each["confidence"] or 0.0, model, relevant=relevant)
    return {**each, "relevant": relevant, "verdict": verdict}


@dataclass(frozen=True, slots=True)
class _Judged:
    """The chunks as one question within the question sees them."""

    pool: CandidatePool
    in_domain: float
    grades: Sequence[Grade]


def _judge(
    part: QuestionPart,
    chunks: Sequence[RetrievedChunk],
    collection: CollectionReader,
    embedder: Embedder,
    model: GraderModel,
) -> _Judged:
    of_web = bool(chunks) and all(map(is_web, chunks))
    # What the web sent must stand out from its fellows, not from documents that know nothing of it.
    pool = read_pool(part.question, chunks if of_web else part.pool, collection, embedder)
    if of_web:  # a few pages of it are no small collection
        pool = replace(pool, chunk_count=max(pool.chunk_count, FEW_CHUNKS))
    every = list({chunk["chunk_id"]: chunk for chunk in [*pool.top, *chunks]}.values())
    shown = measure_chunks(every, pool, collection, embedder)
    measured = {chunk["chunk_id"]: each for chunk, each in zip(every, shown, strict=True)}
    top = [measured[chunk["chunk_id"]] for chunk in pool.top]
    meant = any(chunk.get("meant", 0.0) >= SURELY_NAMED for chunk in part.pool)
    in_domain = 1.0 if meant else model.in_domain.probability(in_domain_features(pool, top))
    grades = [
        _grade(chunk["chunk_id"], measured[chunk["chunk_id"]], pool, in_domain, model)
        for chunk in chunks
    ]
    return _Judged(pool, round(in_domain, 4), grades)


def _confidence(each: Grade) -> tuple[bool, float]:
    return each["relevant"], each["confidence"] or 0.0


def _with_nearest(grades: Sequence[Grade]) -> list[Grade]:
    """With the likeliest chunk relevant: what the collection knows of has a nearest place in it."""
    best = max((each["confidence"] or 0.0 for each in grades), default=0.0)
    return [
        {
            **each,
            "relevant": True,
            "verdict": "ambiguous",
            "reason": f"{each['reason']}; the nearest there is",
        }
        if each["confidence"] == best
        else each
        for each in grades
    ]


def _grade(
    chunk_id: str, shown: Shown, pool: CandidatePool, in_domain: float, model: GraderModel
) -> Grade:
    probability = model.confidence(shown.features, in_domain)
    knows = model.is_in_domain(in_domain)
    relevant = knows and probability >= model.relevant
    return {
        "chunk_id": chunk_id,
        "relevant": relevant,
        "verdict": _verdict(probability, model, relevant=relevant),
        "confidence": round(probability, 4),
        "reason": reason_for(pool.question, shown, knows=knows),
        "grader": "local",
    }


def _verdict(probability: float, model: GraderModel, *, relevant: bool) -> RelevanceVerdict:
    if relevant and probability >= model.correct:
        return "correct"
    return "incorrect" if probability < model.incorrect else "ambiguous"
