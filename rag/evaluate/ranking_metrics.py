"""How good a ranking of documents is against the relevant ones; pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log2


def recall_at(k: int, ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Share of the relevant documents among the first `k` distinct ones, 0 to 1.

    Raises:
        ValueError: nothing is relevant, so that there is nothing to recall.
    """
    places = _places(ranked, relevant)
    return sum(place <= k for place in places) / len(set(relevant))


def ndcg_at(k: int, ranked: Sequence[str], relevant: Collection[str]) -> float:
    """Normalised discounted cumulative gain with binary gains and a log2 discount.

    Järvelin & Kekäläinen 2002, "Cumulated gain-based evaluation of IR techniques". The
    ideal ranking holds as many relevant documents as fit into `k`.

    Raises:
        ValueError: nothing is relevant.
    """
    gain = sum(1 / log2(place + 1) for place in _places(ranked, relevant) if place <= k)
    ideal = range(1, min(k, len(set(relevant))) + 1)
    return gain / sum(1 / log2(place + 1) for place in ideal)


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """1 / place of the first relevant document, 0 where none is ranked.

    Its mean over queries is MRR: Voorhees 1999, "The TREC-8 question answering track".

    Raises:
        ValueError: nothing is relevant.
    """
    places = _places(ranked, relevant)
    return 1 / places[0] if places else 0.0


def _places(ranked: Sequence[str], relevant: Collection[str]) -> list[int]:
    """Where the relevant documents stand among the distinct ranked ones, from 1."""
    if not relevant:
        raise ValueError("a ranking is judged only against relevant documents")
    wanted = set(relevant)
    return [n for n, source in enumerate(dict.fromkeys(ranked), start=1) if source in wanted]
