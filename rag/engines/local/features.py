"""What a chunk shows of its relevance, as numbers that cost no model call."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag.embed.protocol import Embedder
from rag.embed.words import word_vectors
from rag.engines.local.candidate_pool import CandidatePool, Scores, scores_of
from rag.engines.local.words import ChunkTerms, read_terms, read_words
from rag.index.protocol import CollectionReader
from rag.question.parse import ParsedQuestion
from state.passages import RetrievedChunk

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
    pool: CandidatePool,
    collection: CollectionReader,
    embedder: Embedder,
) -> list[Shown]:
    """In the order given."""
    held = [read_terms(chunk) for chunk in chunks]
    beside = [chunk for chunk in chunks if chunk["chunk_id"] not in pool.scores]
    scores = {**pool.scores, **scores_of(beside, pool, collection, embedder)}
    nearness = _nearness(pool.question, held, [read_words(chunk) for chunk in chunks], embedder)
    shown = []
    for chunk, words, near in zip(chunks, held, nearness, strict=True):
        score = scores[chunk["chunk_id"]]
        features = {
            **_own(pool.question, words, score, near),
            **_standing(chunk["chunk_id"], score, pool),
        }
        shown.append(Shown(features, near))
    return shown


def _own(
    question: ParsedQuestion,
    words: ChunkTerms,
    score: Scores,
    near: Mapping[str, tuple[float, str]],
) -> dict[str, float]:
    """What the chunk holds of the question, whatever else was found."""
    mass = sum(question.rarities.values()) or 1.0
    soft = sum(weight * near[term][0] ** 2 for term, weight in question.rarities.items())
    return {
        "coverage": score.coverage,
        "soft_coverage": soft / mass,
        "adjacent": _adjacent(question, words),
        "window": score.window,
        "cosine": score.cosine,
        "named": score.named,
    }


def _adjacent(question: ParsedQuestion, words: ChunkTerms) -> float:
    """The share of the question's pairs of neighbours that are neighbours here, by weight."""
    pairs = {
        pair: question.rarities[pair[0]] + question.rarities[pair[1]]
        for pair in itertools.pairwise(question.terms)
    }
    here = [pair for pair in pairs if words.held.issuperset(pair)]
    held = set(itertools.pairwise(words.body)) if here else set()
    return sum(pairs[pair] for pair in here if pair in held) / (sum(pairs.values()) or 1.0)


def _standing(chunk_id: str, score: Scores, pool: CandidatePool) -> dict[str, float]:
    """How the chunk stands among the question's best ones."""
    own = pool.fused(score)
    fused = list({**pool.fused_scores, chunk_id: own}.values())
    bm25s = [one.bm25 for known, one in pool.scores.items() if known != chunk_id]
    best = sorted([*bm25s, score.bm25], reverse=True)[:_BEST]
    return {
        "bm25_share": score.bm25 / (sum(best) or 1.0),
        "lead": (own - sum(fused) / len(fused)) / (float(np.std(fused)) + _LEAST_SPREAD),
    }


def _nearness(
    question: ParsedQuestion,
    held: Sequence[ChunkTerms],
    read: Sequence[Sequence[str]],
    embedder: Embedder,
) -> list[dict[str, tuple[float, str]]]:
    """The closest word of each chunk to each term of the question, by word vectors."""
    wanted = {term: word for term, word in question.spelt.items() if word.isalpha()}
    vocabulary = sorted({*wanted.values(), *(word for words in read for word in words)})
    rows = {word: row for row, word in enumerate(vocabulary)}
    vectors = word_vectors(vocabulary, embedder)
    found = []
    for words, own_words in zip(held, read, strict=True):
        near = {term: (1.0 if term in words.held else 0.0, "") for term in question.terms}
        missing = [term for term in wanted if term not in words.held]
        if missing and own_words:
            own = vectors[[rows[word] for word in own_words]]
            similar = vectors[[rows[wanted[term]] for term in missing]] @ own.T
            for term, line in zip(missing, similar, strict=True):
                best = int(line.argmax())
                near[term] = (min(max(float(line[best]), 0.0), 1.0), own_words[best])
        found.append(near)
    return found
