"""How good a ranking of documents is against the relevant ones; pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2


def recall_at(k: int, ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Share of the relevant documents among the first `k` distinct ones, 0 to 1.

    Raises:
        ValueError: nothing is relevant, so that there is nothing to recall.
    """
    _need(relevant)
    return len(_top(k, ranked) & set(relevant)) / len(set(relevant))


def ndcg_at(k: int, ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Normalised discounted cumulative gain with binary gains and a log2 discount.

    Järvelin & Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques". The
    ideal ranking holds as many relevant documents as fit into `k`.

    Raises:
        ValueError: nothing is relevant.
    """
    _need(relevant)
    wanted = set(relevant)
    places = list(dict.fromkeys(ranked))[:k]
    gain = sum(1 / log2(place + 2) for place, source in enumerate(places) if source in wanted)
    return gain / sum(1 / log2(place + 2) for place in range(min(k, len(wanted))))


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """1 / place of the first relevant document, 0 where none is ranked.

    Its mean over queries is MRR: Voorhees 1999, "The TREC-8 question answering track".

    Raises:
        ValueError: nothing is relevant.
    """
    _need(relevant)
    wanted = set(relevant)
    for place, source in enumerate(dict.fromkeys(ranked), start=1):
        if source in wanted:
            return 1 / place
    return 0.0


def _top(k: int, ranked: Sequence[str]) -> set[str]:
    return set(list(dict.fromkeys(ranked))[:k])


def _need(relevant: Collection[str]) -> None:
    if not relevant:
        raise ValueError("a ranking is judged only against relevant documents")
