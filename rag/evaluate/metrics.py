"""Metrics of rankings, yes-or-no decisions, confidences and answers, as pure functions.

A figure that its data do not define (precision of a class never predicted, AUC of one class) is
None, never 0.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import log2

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MARKERS = re.compile(r"\s*\[\d+\]")


def ir_metrics(sources: Sequence[str], relevant: Collection[str]) -> dict[str, float]:
    """How well the distinct sources are ranked, each figure 0 to 1: the share of the relevant
    among the first k; the normalised discounted cumulative gain of the first ten with binary gains
    and a log2 discount (Järvelin & Kekäläinen 2002), the ideal order holding as many relevant as
    fit; 1 / place of the first relevant one, whose mean is MRR (Voorhees 1999).

    Raises:
        ValueError: nothing is relevant, so that there is nothing to rank.
    """
    wanted = set(relevant)
    if not wanted:
        raise ValueError("a ranking is judged only against relevant documents")
    places = [n for n, source in enumerate(dict.fromkeys(sources), 1) if source in wanted]
    ideal = sum(1 / log2(place + 1) for place in range(1, min(10, len(wanted)) + 1))
    return {
        **{f"recall@{k}": sum(place <= k for place in places) / len(wanted) for k in (5, 10, 20)},
        "ndcg@10": sum(1 / log2(place + 1) for place in places if place <= 10) / ideal,
        "mrr": 1 / places[0] if places else 0.0,
    }


def binary_rates(pairs: Iterable[tuple[bool, bool]]) -> dict[str, float | None]:
    """Rates of a yes-or-no decision, from pairs (decided, true). `f1` is the harmonic mean of
    precision and recall (van Rijsbergen 1979), as 2TP/(2TP+FP+FN); None if nothing is truly
    positive.
    """
    count = Counter(pairs)
    hits, false, missed = count[True, True], count[True, False], count[False, True]
    recall = _share(hits, hits + missed)
    return {
        "accuracy": _share(hits + count[False, False], count.total()),
        "precision": _share(hits, hits + false),
        "recall": recall,
        "f1": None if recall is None else _share(2 * hits, 2 * hits + false + missed),
    }


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def auc(scores: Sequence[float], labels: Sequence[bool]) -> float | None:
    """Probability that a positive scores above a negative, ties counting half.

    The Mann-Whitney form of the area under the ROC curve: Hanley & McNeil 1982, "The
    meaning and use of the area under a ROC curve".
    """
    import numpy as np

    values, true = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    positives, negatives = values[true], np.sort(values[~true])
    if not len(positives) or not len(negatives):
        return None
    below, not_above = (np.searchsorted(negatives, positives, side) for side in ("left", "right"))
    return float((below + not_above).mean() / (2 * len(negatives)))


def without_markers(answer: str) -> str:
    """The answer without its citation markers `[n]`."""
    return _MARKERS.sub("", answer)


def normalize(text: str) -> list[str]:
    """Lower-cased words without punctuation and English articles.

    The normalisation of the SQuAD evaluation script (Rajpurkar et al. 2016), with all
    of Unicode's punctuation and symbols in place of ASCII's.
    """
    text = unicodedata.normalize("NFKC", text).lower()
    text = "".join(c for c in text if unicodedata.category(c)[0] not in "PS")
    return _ARTICLES.sub(" ", text).split()


def token_f1(answer: str, golds: Sequence[str]) -> float:
    """Best F1 of shared words over the gold answers, 0 to 1 (SQuAD's F1)."""
    return max((_f1(normalize(answer), normalize(gold)) for gold in golds), default=0.0)


def contains(answer: str, golds: Sequence[str]) -> bool:
    """Whether the answer holds one of the gold answers, whole words in a row."""
    words = f" {' '.join(normalize(answer))} "
    wanted = (" ".join(normalize(gold)) for gold in golds)
    return any(gold and f" {gold} " in words for gold in wanted)


def _f1(answer: list[str], gold: list[str]) -> float:
    if not answer or not gold:
        return float(answer == gold)
    shared = sum((Counter(answer) & Counter(gold)).values())
    return 2 * shared / (len(answer) + len(gold))
