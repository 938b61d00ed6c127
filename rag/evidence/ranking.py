"""Excerpts ranked by how likely each holds the answer.

A conditional logit over the excerpts of one question (McFadden 1974; listwise ranking as
ListNet, Cao et al. 2007), fitted by `make fit`: its probabilities of one question sum to 1.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from rag.embed.builtin import fitted_embedder
from rag.evidence.excerpts import excerpts_of
from rag.evidence.features import MeasuredExcerpt, measure_excerpts
from rag.index.protocol import CollectionReader
from rag.question.parse import ParsedQuestion
from state.passages import RetrievedChunk

_FILE = Path(__file__).with_name("ranking.json")


@dataclass(frozen=True, slots=True)
class RankedExcerpt:
    """`probability` is that of holding the answer if any excerpt does."""

    measured: MeasuredExcerpt
    probability: float


@cache
def ranking_weights() -> Mapping[str, float]:
    weights: dict[str, float] = json.loads(_FILE.read_text(encoding="utf-8"))["weights"]
    return weights


def rank_excerpts(
    question: ParsedQuestion, chunks: Sequence[RetrievedChunk], collection: CollectionReader
) -> list[RankedExcerpt]:
    """The excerpts of `chunks` (which are in the order of their rank), the likeliest by itself
    first; what overlaps a likelier one is left out, and its probability added to that.
    """
    if not chunks:
        return []
    embedder = fitted_embedder(collection.embedder)
    vector = embedder.embed_query(question.text)
    measured = measure_excerpts(question, vector, excerpts_of(chunks), chunks, embedder)
    return distinct(likeliest(measured, ranking_weights()))


def likeliest(
    measured: Sequence[MeasuredExcerpt], weights: Mapping[str, float]
) -> list[RankedExcerpt]:
    """By falling probability; every weighted feature must be measured."""
    scores = [sum(w * each.features[name] for name, w in weights.items()) for each in measured]
    best = max(scores, default=0.0)
    odds = [math.exp(score - best) for score in scores]
    total = sum(odds) or 1.0
    ranked = [RankedExcerpt(each, odd / total) for each, odd in zip(measured, odds, strict=True)]
    return sorted(ranked, key=lambda each: -each.probability)


def distinct(ranked: Sequence[RankedExcerpt]) -> list[RankedExcerpt]:
    """Without what overlaps a likelier excerpt, which takes over its probability."""
    kept: list[RankedExcerpt] = []
    for each in ranked:
        own = each.measured.excerpt
        twin = next((n for n, k in enumerate(kept) if own.overlaps(k.measured.excerpt)), None)
        if twin is None:
            kept.append(each)
        else:
            likelier = kept[twin]
            kept[twin] = replace(likelier, probability=likelier.probability + each.probability)
    return kept
