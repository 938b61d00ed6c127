"""What an excerpt shows of holding the answer, as numbers that cost no model call."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.embed.protocol import Embedder, Vectors
from rag.evidence.excerpts import Excerpt
from rag.index.coverage import okapi
from rag.index.terms import terms
from rag.question.parse import ParsedQuestion
from rag.text.sentences import block_sentences
from state.blocks import BlockKind
from state.passages import RetrievedChunk


@dataclass(frozen=True, slots=True)
class MeasuredExcerpt:
    excerpt: Excerpt
    features: Mapping[str, float]


def measure_excerpts(
    question: ParsedQuestion,
    question_vector: Vectors,
    excerpts: Sequence[Excerpt],
    chunks: Sequence[RetrievedChunk],
    embedder: Embedder,
) -> list[MeasuredExcerpt]:
    """In the order given; `chunks` are those that `Excerpt.chunk` counts."""
    if not excerpts:
        return []
    weights = question.weights
    heads = [terms(f"{chunks[e.chunk]['title'] or ''} {e.heading}") for e in excerpts]
    bodies = [terms(e.text) for e in excerpts]
    average = max(sum(map(len, bodies)) / len(bodies), 1.0)
    bm25 = [okapi(weights, average, body, head) for body, head in zip(bodies, heads, strict=True)]
    best_bm25 = max(bm25) or 1.0
    vectors = embedder.embed_documents([f"{e.heading}\n{e.text}" for e in excerpts])
    cosines = [float(cosine) for cosine in vectors @ question_vector]
    sentences = _nearest_sentences(excerpts, question_vector, embedder)
    best_score = max(chunk["score"] for chunk in chunks) or 1.0
    pairs = set(itertools.pairwise(question.terms))
    measured = []
    every = zip(excerpts, bodies, bm25, cosines, sentences, strict=True)
    for e, body, score, cosine, sentence in every:
        features = {
            "bm25": score / best_bm25,
            "cosine": cosine,
            "sentence": sentence,
            "chunk_score": chunks[e.chunk]["score"] / best_score,
            "item": float(e.holds_kind(BlockKind.ITEM)),
            "length": math.log1p(len(body)),
            "pairs": len(pairs & set(itertools.pairwise(body))) / max(len(pairs), 1),
        }
        measured.append(MeasuredExcerpt(e, features))
    return measured


def _nearest_sentences(
    excerpts: Sequence[Excerpt], question_vector: Vectors, embedder: Embedder
) -> list[float]:
    """The cosine of each excerpt's nearest sentence; a block that several share is read once."""
    of_block: dict[tuple[int, int, int], list[str]] = {}
    for e in excerpts:
        for block in e.blocks:
            if block.kind is not BlockKind.HEADING and (e.chunk, *block.extent) not in of_block:
                places = block_sentences(e.text, block, e.start_char)
                texts = [e.text[start - e.start_char : end - e.start_char] for start, end in places]
                of_block[e.chunk, *block.extent] = texts
    texts = [text for block in of_block.values() for text in block]
    cosines = iter((embedder.embed_documents(texts) @ question_vector).tolist())
    best = {key: max(map(next, [cosines] * len(held))) for key, held in of_block.items() if held}
    return [
        max((best.get((e.chunk, *block.extent), 0.0) for block in e.blocks), default=0.0)
        for e in excerpts
    ]
