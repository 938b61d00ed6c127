"""What a chunk shows of its relevance, as numbers that cost no model call."""

from __future__ import annotations

import itertools
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
_BEST = 10
# Scores that hardly differ say nothing by their order.
_LEAST_SPREAD = 0.15


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
        "adjacent": _adjacent(asked, words),
        "cosine": score.cosine,
        "named": score.named,
    }


def _adjacent(asked: Asked, words: ChunkTerms) -> float:
    """The share of the question's pairs of neighbours that are neighbours here, by weight."""
    held = set(itertools.pairwise(words.body))
    pairs = {
        pair: asked.weights[pair[0]] + asked.weights[pair[1]]
        for pair in itertools.pairwise(asked.terms)
    }
    return sum(weight for pair, weight in pairs.items() if pair in held) / (
        sum(pairs.values()) or 1.0
    )


def _standing(chunk_id: str, score: Scores, field: Field) -> dict[str, float]:
    """How the chunk stands among the question's best ones."""
    own = field.fused(score)
    fused = list({**field.fused_scores, chunk_id: own}.values())
    bm25s = [one.bm25 for known, one in field.scores.items() if known != chunk_id]
    best = sorted([*bm25s, score.bm25], reverse=True)[:_BEST]
    return {
        "bm25_share": score.bm25 / (sum(best) or 1.0),
        "lead": (own - sum(fused) / len(fused)) / (float(np.std(fused)) + _LEAST_SPREAD),
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
