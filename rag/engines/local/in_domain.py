"""Whether a collection knows of a question's matter at all, from its best chunks together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rag.engines.local.candidate_pool import CandidatePool
from rag.engines.local.features import Shown
from rag.question.parse import share


def in_domain_features(pool: CandidatePool, top: Sequence[Shown]) -> dict[str, float]:
    """`top` are the measured `pool.top`. The same in every loop of a question."""
    question = pool.question
    nearest = nearest_words(pool, top)
    return {
        "cosine": max((score.cosine for score in pool.scores.values()), default=0.0),
        "soft_coverage": max((shown.features["soft_coverage"] for shown in top), default=0.0),
        "together": sum(question.weights[t] * near**2 for t, near in nearest.items())
        / (question.mass or 1.0),
        "terms": math.log1p(len(question.terms)),
        "chunks": math.log(max(pool.chunk_count, 1)),
    }


def nearest_words(pool: CandidatePool, top: Sequence[Shown]) -> dict[str, float]:
    """For each term of the question how near the best chunks come to it, 0 to 1."""
    return {
        term: max((shown.near[term][0] for shown in top), default=0.0)
        for term in pool.question.terms
    }


def enough_features(
    pool: CandidatePool, confidences: Iterable[float], held: Iterable[frozenset[str]]
) -> dict[str, float]:
    """Of the chunks found relevant so far: how sure, and how much they cover together."""
    best = sorted(confidences, reverse=True)
    return {
        "best": _logit(best[0]) if best else -8.0,
        "second": _logit(best[1]) if len(best) > 1 else -8.0,
        "covered": share(pool.question.rarities, frozenset().union(*held)),
    }


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded))
