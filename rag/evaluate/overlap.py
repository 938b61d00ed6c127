"""How much of a gold answer an answer holds; pure functions on text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MARKERS = re.compile(r"\s*\[\d+\]")


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
