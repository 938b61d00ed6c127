"""The scores of a candidate chunk for a query: BM25 and best window, fused with its cosine.

FTS5 finds the candidates by its own BM25, whose parameters are fixed and which is given only
the terms that are affordable to search; here every candidate is scored by all of them.
BM25 counts a query's words wherever they stand; an answer has them close together.

Fusion by score keeps what a rank forgets: how far ahead the first is. Fused by rank, a weak
dense leg makes BM25 worse. Every weight stands on a plateau of nDCG@10 over four labelled sets,
each chosen so that no set loses by it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

DENSE_WEIGHT = 0.35
WINDOW_WEIGHT = 1.0
FARTHEST_BEHIND = -1.0
"""A cosine's lead counts as no less: where the near chunks are nearly alike, as in a log, the only
one with the query's words would be lost for its distance.
"""
NAME_WEIGHT = 1.2
"""Of a chunk whose document the query calls by its name."""
_NAME_WORDS, _NAME_WORD = 0.7, 0.58
"""How surely a name means its document where it has no number: ordinary words may stand in a row by
chance, and one alone, as rare as can be, may be said of anything."""
HEAD_WEIGHT = 2.0
"""How much a term in the title or headings counts, in BM25; one in the text counts 1."""
WINDOW_TERMS = 15
_K1, _B = 0.8, 0.6


def rarity(count: int, total: int) -> float:
    """BM25's inverse document frequency of a term that `count` of `total` chunks hold."""
    count = min(count, total)
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def best_window(weights: Mapping[str, float], body: Sequence[str], head: Sequence[str]) -> float:
    """The largest share of the query's weight found within WINDOW_TERMS terms in a row.

    Terms of `head` (title and headings) count for every window. 0 to 1.
    """
    total = sum(weights.values())
    if not total:
        return 0.0
    in_head = weights.keys() & set(head)
    places = [
        (place, term) for place, term in enumerate(body) if term in weights and term not in in_head
    ]
    inside: dict[str, int] = {}
    weight = best = 0.0
    first = 0
    for place, term in places:
        while places[first][0] <= place - WINDOW_TERMS:
            left = places[first][1]
            inside[left] -= 1
            if not inside[left]:
                weight -= weights[left]
            first += 1
        if not inside.get(term):
            weight += weights[term]
        inside[term] = inside.get(term, 0) + 1
        best = max(best, weight)
    return min((best + sum(weights[term] for term in in_head)) / total, 1.0)


def okapi(
    weights: Mapping[str, float], average: float, body: Sequence[str], head: Sequence[str]
) -> float:
    """Okapi BM25 of the weighed terms in one chunk, those of its head counting double.

    `average` is the mean length of a chunk in terms, title and headings included.
    """
    counts: dict[str, float] = {}
    for part, worth in ((body, 1.0), (head, HEAD_WEIGHT)):
        for term in filter(weights.__contains__, part):
            counts[term] = counts.get(term, 0.0) + worth
    norm = _K1 * (1 - _B + _B * (len(body) + len(head)) / average)
    return sum(
        weight * counts[term] * (_K1 + 1) / (counts[term] + norm)
        for term, weight in weights.items()
        if term in counts
    )


def name_match(
    query: Sequence[str], name: Sequence[str], weights: Mapping[str, float], total: int
) -> float:
    """How surely a query of these terms calls a document by a name, 0 to 1: by whether the name's
    terms stand in it in a row. `weights` are of the query's terms in `total` chunks.
    """
    if not name or f" {' '.join(name)} " not in f" {' '.join(query)} ":
        return 0.0
    if len(name) > 1:
        return 1.0 if any(map(str.isdigit, name)) else _NAME_WORDS
    rarest = rarity(1, total)
    return _NAME_WORD * min(weights.get(name[0], rarest) / rarest, 1.0) ** 2


def fuse(bm25: Mapping[int, float], cosine: Mapping[int, float]) -> dict[int, float]:
    """The fused score of every chunk that either leg knows; higher is better.

    `bm25/max + DENSE_WEIGHT * (cosine - mean)/(max - mean)`, the latter bounded below; a chunk that
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
        scores[chunk] = scores.get(chunk, 0.0) + DENSE_WEIGHT * lead
    return scores
