"""What a chunk shows of its relevance, as numbers that cost no model call."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag.embed.protocol import Embedder
from rag.engines.local.asked import Asked
from rag.engines.local.field import Field, Scores, cosines_of
from rag.engines.local.words import ChunkSentences, ChunkTerms, read_sentences, read_terms
from rag.index.protocol import CollectionReader
from state.passages import RetrievedChunk

_SENTENCE_BATCH = 400


@dataclass(frozen=True, slots=True)
class Shown:
    """One chunk's features; `near` gives, for each term of the question, how close the
    chunk comes to it (1 where it holds it) and by which word.
    """

    features: Mapping[str, float]
    near: Mapping[str, tuple[float, str]]


def measure_chunks(
    chunks: Sequence[RetrievedChunk],
    field: Field,
    collection: CollectionReader,
    embedder: Embedder,
) -> list[Shown]:
    """In the order given."""
    held = [read_terms(chunk) for chunk in chunks]
    read = [read_sentences(chunk) for chunk in chunks]
    cosines = cosines_of(chunks, field.question_vector, collection, embedder)
    nearness = _nearness(field.asked, held, read, embedder)
    of_sentences = _sentence_cosines(read, field, embedder)
    shown = []
    for chunk, words, sentences, cosine, near, sentence in zip(
        chunks, held, read, cosines, nearness, of_sentences, strict=True
    ):
        score = field.scores.get(chunk["chunk_id"]) or field.score(words, cosine)
        features = {
            **_own(field.asked, words, sentences, score, near),
            "sentence_cosine": sentence,
            **_standing(chunk["chunk_id"], score, field),
        }
        shown.append(Shown(features, near))
    return shown


def _own(
    asked: Asked,
    words: ChunkTerms,
    sentences: ChunkSentences,
    score: Scores,
    near: Mapping[str, tuple[float, str]],
) -> dict[str, float]:
    """What the chunk holds of the question, whatever else was found."""
    mass = asked.mass or 1.0
    pairs = zip(sentences.terms, [*sentences.terms[1:], frozenset[str]()], strict=True)
    singles = [asked.covered(sentence) for sentence in sentences.terms]
    return {
        "coverage": score.coverage,
        "sentence_coverage": max(singles, default=0.0),
        "pair_coverage": max((asked.covered(one | two) for one, two in pairs), default=0.0),
        "soft_coverage": sum(weight * near[term][0] ** 2 for term, weight in asked.weights.items())
        / mass,
        "cosine": score.cosine,
        "bm25": score.bm25,
        "bm25_mass": score.bm25 / mass,
        "named": sum(term in asked.weights for term in words.title) / len(words.title)
        if words.title
        else 0.0,
    }


def _standing(chunk_id: str, score: Scores, field: Field) -> dict[str, float]:
    """How the chunk stands among the question's best ones."""
    others = [other for known, other in field.scores.items() if known != chunk_id]
    everyone = [*others, score]
    bm25s = sorted((one.bm25 for one in everyone), reverse=True)
    cosines = [one.cosine for one in everyone]
    top = bm25s[0] or 1.0
    mean_cosine = sum(cosines) / len(cosines)
    lead = max(max(cosines) - mean_cosine, 1e-6)

    def fused(one: Scores) -> float:
        return one.bm25 / top + 0.4 * (one.cosine - mean_cosine) / lead

    own = fused(score)
    mass = field.asked.mass or 1.0
    return {
        "rank": math.log1p(sum(fused(other) > own for other in others)),
        "coverage_lead": score.coverage - max((one.coverage for one in others), default=0.0),
        "bm25_share": score.bm25 / (sum(bm25s[:10]) or 1.0),
        "bm25_spread": (score.bm25 - sum(bm25s) / len(bm25s))
        / (float(np.std(bm25s)) + 0.05 * mass),
        "cosine_lead": score.cosine - mean_cosine,
    }


def _nearness(
    asked: Asked,
    held: Sequence[ChunkTerms],
    read: Sequence[ChunkSentences],
    embedder: Embedder,
) -> list[dict[str, tuple[float, str]]]:
    """The closest word of each chunk to each term of the question, by word vectors."""
    wanted = {term: word for term, word in asked.spelt.items() if word.isalpha()}
    vocabulary = sorted(
        {*wanted.values(), *(word for sentences in read for word in sentences.words)}
    )
    rows = {word: row for row, word in enumerate(vocabulary)}
    vectors = embedder.embed_documents(vocabulary)
    found = []
    for words, sentences in zip(held, read, strict=True):
        near = {term: (1.0 if term in words.held else 0.0, "") for term in asked.terms}
        missing = [term for term in wanted if term not in words.held]
        if missing and sentences.words:
            own = vectors[[rows[word] for word in sentences.words]]
            similar = vectors[[rows[wanted[term]] for term in missing]] @ own.T
            for term, line in zip(missing, similar, strict=True):
                best = int(line.argmax())
                near[term] = (min(max(float(line[best]), 0.0), 1.0), sentences.words[best])
        found.append(near)
    return found


def _sentence_cosines(
    read: Sequence[ChunkSentences], field: Field, embedder: Embedder
) -> list[float]:
    """The cosine of the best sentence of each chunk; all are embedded together."""
    owners = [row for row, sentences in enumerate(read) for _ in sentences.texts]
    texts = [text for sentences in read for text in sentences.texts]
    best = [0.0] * len(read)
    for start in range(0, len(texts), _SENTENCE_BATCH):
        vectors = embedder.embed_documents(texts[start : start + _SENTENCE_BATCH])
        for row, cosine in zip(
            owners[start : start + _SENTENCE_BATCH], vectors @ field.question_vector, strict=True
        ):
            best[row] = max(best[row], float(cosine))
    return best
