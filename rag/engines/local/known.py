"""Whether a collection knows of a question's matter at all, from its best chunks together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rag.engines.local.features import Shown
from rag.engines.local.field import Field

_TAIL = 10


def known_features(field: Field, top: Sequence[Shown]) -> dict[str, float]:
    """`top` are the measured `field.top`. The same in every loop of a question."""
    scores = list(field.scores.values())
    bm25s = sorted((score.bm25 for score in scores), reverse=True)
    tail = bm25s[min(_TAIL, len(bm25s) // 2) :]
    mass = field.asked.mass or 1.0
    return {
        "bm25": bm25s[0] / mass if bm25s else 0.0,
        "cosine": max((score.cosine for score in scores), default=0.0),
        "bm25_spread": (bm25s[0] - sum(tail) / len(tail)) / mass if bm25s else 0.0,
        "evidence": max((_evidence(shown) for shown in top), default=0.0),
        "terms": math.log1p(len(field.asked.terms)),
        "chunks": math.log(max(field.chunk_count, 1)),
    }


def enough_features(
    field: Field, confidences: Iterable[float], held: Iterable[frozenset[str]]
) -> dict[str, float]:
    """Of the chunks found relevant so far: how sure, and how much they cover together."""
    best = sorted(confidences, reverse=True)
    return {
        "best": _logit(best[0]) if best else -8.0,
        "second": _logit(best[1]) if len(best) > 1 else -8.0,
        "covered": field.asked.covered(frozenset().union(*held)),
    }


def _evidence(shown: Shown) -> float:
    features = shown.features
    return features["sentence_coverage"] + features["sentence_cosine"] + features["soft_coverage"]


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return math.log(bounded / (1 - bounded))
