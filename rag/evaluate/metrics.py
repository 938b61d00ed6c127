"""How good a ranking of documents is, yes-or-no decisions and their confidences, and the words of
an answer against a gold one; pure functions.

A figure that its data do not define (precision of a class never predicted, AUC of one
class) is None, never 0.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import log2

_BINS = 10
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MARKERS = re.compile(r"\s*\[\d+\]")


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


def rates(pairs: Iterable[tuple[bool, bool]]) -> dict[str, float | None]:
    """Of one yes-or-no decision, from pairs (decided, true): `f1` is the harmonic mean of precision
    and recall (van Rijsbergen 1979), as 2TP/(2TP+FP+FN), None without a single true positive to
    find; `balanced_accuracy` the mean of the recalls of both classes, None where one is absent.
    """
    count = Counter(pairs)
    hits, false = count[True, True], count[True, False]
    missed, rest = count[False, True], count[False, False]
    recall, specificity = _share(hits, hits + missed), _share(rest, rest + false)
    return {
        "accuracy": _share(hits + rest, count.total()),
        "balanced_accuracy": (
            None if recall is None or specificity is None else (recall + specificity) / 2
        ),
        "precision": _share(hits, hits + false),
        "recall": recall,
        "f1": None if recall is None else _share(2 * hits, 2 * hits + false + missed),
    }


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


def calibration_error(confidences: Sequence[float], labels: Sequence[bool]) -> float | None:
    """Expected calibration error: mean |share true - confidence| over ten equal-width bins of
    confidence, by their size.

    Naeini, Cooper & Hauskrecht 2015, "Obtaining well calibrated probabilities using
    Bayesian binning"; of a positive's probability, not of the top class.
    """
    if not confidences:
        return None
    import numpy as np

    sure, true = np.asarray(confidences, dtype=float), np.asarray(labels, dtype=float)
    bins = np.clip(np.ceil(sure * _BINS) - 1, 0, _BINS - 1).astype(int)
    return float(np.abs(np.bincount(bins, weights=true - sure)).sum() / len(sure))


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def without_markers(answer: str) -> str:
    """The answer without its citation markers `[n]`."""
    return _MARKERS.sub("", answer)


def normalised(text: str) -> list[str]:
    """Lower-cased words without punctuation and English articles.

    The normalisation of the SQuAD evaluation script (Rajpurkar et al. 2016), with all
    of Unicode's punctuation and symbols in place of ASCII's.
    """
    text = unicodedata.normalize("NFKC", text).lower()
    text = "".join(c for c in text if unicodedata.category(c)[0] not in "PS")
    return _ARTICLES.sub(" ", text).split()


def token_f1(answer: str, golds: Sequence[str]) -> float:
    """Best F1 of shared words over the gold answers, 0 to 1 (SQuAD's F1)."""
    return max((_f1(normalised(answer), normalised(gold)) for gold in golds), default=0.0)


def contains(answer: str, golds: Sequence[str]) -> bool:
    """Whether the answer holds one of the gold answers, whole words in a row."""
    words = f" {' '.join(normalised(answer))} "
    wanted = (" ".join(normalised(gold)) for gold in golds)
    return any(gold and f" {gold} " in words for gold in wanted)


def _f1(answer: list[str], gold: list[str]) -> float:
    if not answer or not gold:
        return float(answer == gold)
    shared = sum((Counter(answer) & Counter(gold)).values())
    return 2 * shared / (len(answer) + len(gold))
