"""Grades chunks by a calibrated logistic over how far each stands out; no model call.

CRAG's retrieval evaluator (Yan et al. 2024) with a logistic in place of its fine-tuned T5.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from statistics import median

import numpy as np

from rag.embed.builtin import builtin_embedder
from rag.engines.local.grader_model import GraderModel, Logistic, grader_model
from rag.engines.protocol import Graded
from rag.index.candidates import terms_with_headings
from rag.index.reader import CollectionReader
from rag.question.parse import FEW_CHUNKS, share, specific_terms, split_context
from rag.reading.reranker import Reranker, chunk_with_headings
from rag.reading.scoring import best_of, judge_stretches
from state.graph_state import GraphState, new_chunks
from state.passages import Grade, ParsedQuestion, QuestionPart, RetrievedChunk, is_web
from state.wording import listed

TOP_CHUNKS = 8
# Scores that hardly differ say nothing by their order.
_LEAST_SPREAD = 0.5
_NAMED = 4
_LACKING = 0.99
"""What a probability is at most where a number is lacking, in thresholds."""


def grade(state: GraphState, collection: CollectionReader, reranker: Reranker) -> Graded:
    """Grades the new chunks, each by the part of the question that it suits best. Where a
    transformer reads the question, the stretch that it finds nearest says whether the collection
    holds an answer.
    """
    model = grader_model()
    reading = reranker if reranker.is_neural and not all(map(is_web, state["documents"])) else None
    judged = [_judge(part, state, collection, reading, model) for part in state["parts"]]
    grades = [
        max(of_parts, key=lambda each: (each["relevant"], each["confidence"] or 0.0))
        for of_parts in zip(*(grades for _, grades in judged), strict=True)
    ]
    in_domain = tuple(known for known, _ in judged)
    found = any(each["relevant"] for each in [*state["grades"].values(), *grades])
    if any(map(model.is_in_domain, in_domain)) and not found:
        grades = _with_nearest(grades)
    sufficient = all(map(model.is_in_domain, in_domain))
    return Graded(tuple(grades), sufficient=sufficient, in_domain=in_domain)


def _judge(
    part: QuestionPart,
    state: GraphState,
    collection: CollectionReader,
    reading: Reranker | None,
    model: GraderModel,
) -> tuple[float, list[Grade]]:
    """The probability that the collection covers the part, and the new chunks' grades for it."""
    chunks = new_chunks(state)
    of_web = bool(chunks) and all(map(is_web, chunks))
    # A page of the web must stand out from the other pages, not from documents that say nothing of
    # the matter, and by its text alone: anybody may have chosen its title.
    if of_web:
        chunks = [{**chunk, "title": None, "heading": ""} for chunk in chunks]
    question, pool = part["question"], chunks if of_web else part["pool"]
    if reading is not None:
        known = probability_of(answer_features(part, state["documents"], reading), model.reader)
    else:  # a few pages of the web are no small collection
        count = max(collection.chunk_count, FEW_CHUNKS if of_web else 0)
        known = model.in_domain.probability(in_domain_features(question, pool, count))
    return round(known, 4), [_grade(each, question, pool, known, model) for each in chunks]


def chunk_features(chunk: RetrievedChunk, pool: Sequence[RetrievedChunk]) -> dict[str, float]:
    """What tells a chunk's relevance: how far its score lies above the mean of the pool's others,
    in spreads of these. The pool is what the question itself finds, in every loop; what a rewrite
    found counts as its last.
    """
    scores = {each["chunk_id"]: each["score"] for each in pool}
    own = scores.pop(chunk["chunk_id"], min(scores.values(), default=0.0))
    others = [*scores.values()] or [0.0]
    return {"lead": (own - float(np.mean(others))) / (float(np.std(others)) + _LEAST_SPREAD)}


def in_domain_features(
    question: ParsedQuestion, pool: Sequence[RetrievedChunk], chunk_count: int
) -> dict[str, float]:
    """The features of whether a collection of `chunk_count` chunks covers the question at all, by
    the best of the pool. They are the same in every loop of a question.
    """
    top = pool[:TOP_CHUNKS]
    texts = list(map(chunk_with_headings, top))
    embedder = builtin_embedder()
    cosines = embedder.embed_documents(texts) @ embedder.embed_documents([question["text"]])[0]
    held = [share(question["weights"], terms_with_headings(each)) for each in top]
    return {
        "cosine": max(map(float, cosines), default=0.0),
        "covered": max(held, default=0.0),
        "terms": math.log1p(len(question["terms"])),
        "chunks": math.log(max(chunk_count, 1)),
    }


def probability_of(features: Mapping[str, float], reader: Logistic) -> float:
    """That what is shown answers, by its `answer_features`; below the threshold where a number of
    the question is lacking: what stands on ADR 12 does not say when ADR 13 was accepted.
    """
    found = reader.probability(features)
    return min(found, _LACKING * reader.threshold) if features["lacking"] else found


def answer_features(
    part: QuestionPart, documents: Sequence[RetrievedChunk], reading: Reranker
) -> dict[str, float]:
    """The features of whether what is shown answers the question: the best stretch's cross-encoder
    score, and how much nearer it is than the median stretch of those that the question itself found
    (what rewrites found is farther); and how many numbers of the question its chunk lacks.
    """
    question = part["question"]
    given = {each["chunk_id"] for each in documents}
    first = [each["chunk_id"] for each in documents if not each["loop"]]
    # However few a person wants to see, the margin is over as many.
    pooled = dict.fromkeys([*first, *(each["chunk_id"] for each in part["pool"])])
    own = set([*pooled][: max(TOP_CHUNKS, len(first))])
    beside = [each for each in part["pool"] if each["chunk_id"] in own - given]
    found = judge_stretches(question, [*documents, *beside], reading)
    nearest = best_of([each for each in found if each.stretch.chunk["chunk_id"] in given])
    if nearest is None:
        return dict.fromkeys(("judged", "margin", "lacking"), 0.0)
    others = [each.unjudged for each in found if each.stretch.chunk["chunk_id"] in own]
    typed, _ = split_context(question["text"])
    return {
        "judged": nearest.judged,
        "margin": nearest.unjudged - median(others or [each.unjudged for each in found]),
        "lacking": float(len(lacking_numbers(typed, nearest.stretch.chunk))),
    }


def lacking_numbers(question: str, chunk: RetrievedChunk) -> Sequence[str]:
    """The numbers and numbered names of a question (2019, F12) that neither the chunk nor what
    stands above it has in any form.
    """
    if not any(map(str.isdigit, question)):
        return []
    from rag.citations.figures import unheld_numbers

    held = (chunk["source"], chunk["title"], chunk["heading"], chunk["text"])
    return unheld_numbers(question, " ".join(filter(None, held)))


def _grade(
    chunk: RetrievedChunk,
    question: ParsedQuestion,
    pool: Sequence[RetrievedChunk],
    in_domain: float,
    model: GraderModel,
) -> Grade:
    knows = model.is_in_domain(in_domain)
    probability = model.confidence(chunk_features(chunk, pool), in_domain)
    return {
        "chunk_id": chunk["chunk_id"],
        "relevant": knows and probability >= model.relevant,
        "confidence": round(probability, 4),
        "reason": reason_for(question, terms_with_headings(chunk), knows=knows),
        "grader": "local",
    }


def _with_nearest(grades: Sequence[Grade]) -> list[Grade]:
    """The grades with the likeliest chunk made relevant: the collection covers the question, but no
    chunk stands out by its words where every page speaks of the matter ("What is a closure?").
    """
    best = max((each["confidence"] or 0.0 for each in grades), default=0.0)
    return [
        {**each, "relevant": True, "reason": f"{each['reason']}; the nearest there is"}
        if each["confidence"] == best
        else each
        for each in grades
    ]


def reason_for(question: ParsedQuestion, held: Collection[str], *, knows: bool) -> str:
    """The reason of a grade, such as: covers 'evidence', 'electronic'; nothing on 'criminal'. That
    the collection does not cover the question is a reason too, unless it `knows` of the matter.
    """
    if not question["terms"]:
        return "the question has no word to look for"
    ranked = sorted(specific_terms(question), key=lambda term: -question["weights"][term])
    parts = []
    if covered := [f"'{question['spelt'][term]}'" for term in ranked if term in held]:
        parts.append(f"covers {listed(covered, _NAMED)}")
    if missing := [f"'{question['spelt'][term]}'" for term in ranked if term not in held]:
        parts.append(f"nothing on {listed(missing, _NAMED)}")
    if not knows:
        parts.append("too little here is about that")
    return "; ".join(parts)
