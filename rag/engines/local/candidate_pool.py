"""What the collection offers a question: the chunks any other chunk is measured against.

A score says little by itself; how far it stands out from the question's own best results
says much. The pool is what the question finds whatever query is being graded, so that a chunk gets
the same grade in whichever loop it turns up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rag.embed.protocol import Embedder, Vectors
from rag.engines.local.words import ChunkTerms, read_terms
from rag.index.coverage import best_window, named, okapi
from rag.index.fusion import DENSE_WEIGHT, NAMED_WEIGHT, WINDOW_WEIGHT
from rag.index.protocol import CollectionReader
from rag.question.parse import ParsedQuestion, share
from state.documents import headed_text
from state.passages import RetrievedChunk, is_web

TOP_CHUNKS = 8


@dataclass(frozen=True, slots=True)
class Scores:
    """One chunk against a question, by words and by meaning."""

    coverage: float
    bm25: float
    cosine: float
    window: float
    named: float


@dataclass(frozen=True)
class CandidatePool:
    """The question's best chunks, their scores by id, and the first few in full.

    `length` is their mean length in terms, `chunk_count` the collection's size.
    """

    question: ParsedQuestion
    question_vector: Vectors
    scores: Mapping[str, Scores]
    length: float
    top: Sequence[RetrievedChunk]
    chunk_count: int

    def score(self, words: ChunkTerms, cosine: float) -> Scores:
        weights = self.question.rarities
        return Scores(
            coverage=share(weights, words.held),
            bm25=okapi(weights, self.length, words.body, words.head),
            cosine=cosine,
            window=best_window(weights, words.body, words.head),
            named=named(weights, words.title),
        )

    def fused(self, scores: Scores) -> float:
        """As the index fuses them, so that any chunk can be ranked among the question's best."""
        best, mean, lead = self._scale
        return (
            scores.bm25 / best
            + DENSE_WEIGHT * (scores.cosine - mean) / lead
            + WINDOW_WEIGHT * scores.window
            + NAMED_WEIGHT * scores.named
        )

    @cached_property
    def fused_scores(self) -> Mapping[str, float]:
        return {chunk_id: self.fused(scores) for chunk_id, scores in self.scores.items()}

    @cached_property
    def _scale(self) -> tuple[float, float, float]:
        """(best BM25, mean cosine, lead of the best cosine)."""
        cosines = [scores.cosine for scores in self.scores.values()] or [0.0]
        mean = sum(cosines) / len(cosines)
        best = max((scores.bm25 for scores in self.scores.values()), default=0.0)
        return best or 1.0, mean, max(max(cosines) - mean, 1e-6)


def read_pool(
    question: ParsedQuestion,
    found: Sequence[RetrievedChunk],
    collection: CollectionReader,
    embedder: Embedder,
) -> CandidatePool:
    """`found` is what the question itself finds, best first."""
    vector = embedder.embed_query(question.text)
    length = max(sum(read_terms(chunk).length for chunk in found), 1) / max(len(found), 1)
    bare = CandidatePool(question, vector, {}, length, found[:TOP_CHUNKS], collection.chunk_count)
    return replace(bare, scores=scores_of(found, bare, collection, embedder))


def scores_of(
    chunks: Sequence[RetrievedChunk],
    pool: CandidatePool,
    collection: CollectionReader,
    embedder: Embedder,
) -> dict[str, Scores]:
    """By id. Stored vectors where the collection has them of this embedder, else embedded now."""
    if not chunks:
        return {}
    vectors = np.zeros((len(chunks), len(pool.question_vector)), dtype=np.float32)
    if collection.embedder.identity == embedder.identity:
        vectors[:] = collection.vectors([chunk["chunk_id"] for chunk in chunks])
    unknown = [row for row in range(len(chunks)) if not vectors[row].any()]
    if unknown:
        vectors[unknown] = embedder.embed_documents([_embedded(chunks[row]) for row in unknown])
    cosines = vectors @ pool.question_vector
    return {
        chunk["chunk_id"]: pool.score(read_terms(chunk), float(cosine))
        for chunk, cosine in zip(chunks, cosines, strict=True)
    }


def _embedded(chunk: RetrievedChunk) -> str:
    """As the index has it; of the web the text alone, whose title anybody may have chosen."""
    if is_web(chunk):
        return chunk["text"]
    return headed_text(chunk["title"], chunk["heading"], chunk["text"])
