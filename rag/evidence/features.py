"""What an excerpt shows of holding the answer, as numbers that cost no model call."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.embed.protocol import Embedder, Vectors
from rag.evidence.excerpts import Excerpt
from rag.index.coverage import best_window, okapi
from rag.index.repeats import Likeness
from rag.index.terms import terms
from rag.question.parse import ParsedQuestion
from state.blocks import BlockKind
from state.passages import RetrievedChunk


@dataclass(frozen=True, slots=True)
class MeasuredExcerpt:
    """`likeness` is that of the excerpt with its headings and title."""

    excerpt: Excerpt
    features: Mapping[str, float]
    likeness: Likeness


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
    best_score = max(chunk["score"] for chunk in chunks) or 1.0
    pairs = set(itertools.pairwise(question.terms))
    measured = []
    for e, body, head, score, cosine in zip(excerpts, bodies, heads, bm25, cosines, strict=True):
        features = {
            "bm25": score / best_bm25,
            "window": best_window(weights, body, head),
            "cosine": cosine,
            "chunk_score": chunks[e.chunk]["score"] / best_score,
            "item": float(e.holds_kind(BlockKind.ITEM)),
            "length": math.log1p(len(body)),
            "pairs": len(pairs & set(itertools.pairwise(body))) / max(len(pairs), 1),
        }
        measured.append(MeasuredExcerpt(e, features, Likeness.of([*body, *head])))
    return measured
