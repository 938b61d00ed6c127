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
from rag.evidence.excerpts import EXCERPT_CHARACTERS, Excerpt, excerpts_of
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
    first; what overlaps or repeats a likelier one is left out, and its probability added to that.
    """
    if not chunks:
        return []
    embedder = fitted_embedder(collection.embedder)
    vector = embedder.embed_query(question.text)
    measured = measure_excerpts(question, vector, excerpts_of(chunks), chunks, embedder)
    ranked = likeliest(measured, ranking_weights())
    return whole(distinct(ranked, frozenset(question.terms)), ranked)


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


def distinct(
    ranked: Sequence[RankedExcerpt], asked: frozenset[str] = frozenset()
) -> list[RankedExcerpt]:
    """Without what overlaps or repeats a likelier excerpt, which takes over its probability;
    `asked` are the question's terms.
    """
    kept: list[RankedExcerpt] = []
    for each in ranked:
        twin = next((i for i, other in enumerate(kept) if _doubles(other, each, asked)), None)
        if twin is None:
            kept.append(each)
        else:
            held = kept[twin]
            kept[twin] = RankedExcerpt(held.measured, held.probability + each.probability)
    return kept


def whole(kept: Sequence[RankedExcerpt], ranked: Sequence[RankedExcerpt]) -> list[RankedExcerpt]:
    """Each with what begins within it and is about as likely, where both are no longer than one
    may be: what holds the answer as likely must not be lost for where it begins. What would cost a
    part of another that is kept and as likely is not joined.
    """
    found: list[RankedExcerpt] = []
    for each in kept:
        own = joined = each.measured.excerpt
        least = each.probability / 3
        for other in (r.measured.excerpt for r in ranked if r.probability >= least):
            goes_on = joined.start_char < other.start_char and joined.end_char < other.end_char
            if goes_on and joined.overlaps(other):
                both = joined.going_on(other)
                joined = both if len(both.text) <= EXCERPT_CHARACTERS else joined
        if any(_cuts(joined, r.measured.excerpt) for r in kept if r.probability >= least) or any(
            joined.overlaps(before.measured.excerpt) for before in found
        ):
            joined = own
        if not any(joined.overlaps(before.measured.excerpt) for before in found):
            measured = replace(each.measured, excerpt=joined)
            found.append(RankedExcerpt(measured, each.probability))
    return found


def _cuts(excerpt: Excerpt, other: Excerpt) -> bool:
    within = excerpt.start_char <= other.start_char and other.end_char <= excerpt.end_char
    return excerpt.overlaps(other) and not within


def _doubles(one: RankedExcerpt, other: RankedExcerpt, asked: frozenset[str]) -> bool:
    if one.measured.excerpt.overlaps(other.measured.excerpt):
        return True
    return one.measured.likeness.repeats(other.measured.likeness, asked)
