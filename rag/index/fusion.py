"""One ranking of several signs: BM25 relative to the best, the cosine's lead, what words show.

Fusion by score keeps what a rank forgets: how far ahead the first is. Fused by rank, a weak
dense leg makes BM25 worse. Every weight stands on a plateau of nDCG@10 over four labelled sets,
each chosen so that no set loses by it.
"""

from __future__ import annotations

from collections.abc import Mapping

DENSE_WEIGHT = 0.35
WINDOW_WEIGHT = 1.0
FARTHEST_BEHIND = -1.0
"""A cosine's lead at the least: where all that is near is nearly alike, as in a log, the only chunk
with the query's words would be lost for its distance.
"""
NAMED_WEIGHT = 0.3
MEANT_WEIGHT = 1.2
"""Of a chunk whose document the query calls by its name (`names.py`)."""
BEGINNING = 0.2
"""What more of that a document's first chunk gets."""


def fuse(
    bm25: Mapping[int, float], cosine: Mapping[int, float], *, dense_weight: float = DENSE_WEIGHT
) -> dict[int, float]:
    """The fused score of every chunk that either leg knows; higher is better.

    `bm25/max + dense_weight * (cosine - mean)/(max - mean)`, the latter bounded below; a chunk that
    a leg does not know gets nothing from it.
    """
    top = max(bm25.values(), default=0.0)
    scores = {chunk: score / top for chunk, score in bm25.items()} if top > 0 else {}
    if not cosine:
        return scores
    mean = sum(cosine.values()) / len(cosine)
    spread = max(cosine.values()) - mean
    for chunk, value in cosine.items():
        lead = max((value - mean) / spread, FARTHEST_BEHIND) if spread > 1e-9 else 0.0
        scores[chunk] = scores.get(chunk, 0.0) + dense_weight * lead
    return scores
