"""Sentences of different passages that give different values for the same thing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.answering.evidence import Measured
from rag.answering.quantities import NUMBER, plain
from rag.answering.question import AnswerKind, Question
from rag.index.terms import terms

# Both must speak of what is asked: this share of the question's weight, title included.
LEAST_COVERAGE = 0.6
LEAST_OF_BEST = 0.25
_YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2})\b")
_QUANTITY = re.compile(
    rf"(?P<money>[$€£¥])?(?P<number>{NUMBER})\s*(?P<unit>%|[^\W\d_]+(?:/[^\W\d_]+)?)?",
    re.IGNORECASE,
)
_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_DAY = re.compile(
    rf"\b(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m1>{'|'.join(_MONTHS)})"
    rf"|(?P<m2>{'|'.join(_MONTHS)})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?)\b",
    re.IGNORECASE,
)


def disagreeing(question: Question, measured: Sequence[Measured]) -> list[int]:
    """Indices of the best sentence and of those that contradict it; empty if none does."""
    if question.kind not in (AnswerKind.NUMBER, AnswerKind.DATE, AnswerKind.NAME):
        return []
    order = sorted(range(len(measured)), key=lambda i: -measured[i].probability)
    speaking = [i for i in order if _speaks(measured[i], question)]
    if not speaking or speaking[0] not in order[:2]:
        return []
    best = measured[speaking[0]]
    values = _values(question, best.strip.text)
    against = [
        i
        for i in speaking[1:]
        if measured[i].strip.source != best.strip.source
        and measured[i].probability >= LEAST_OF_BEST * best.probability
        and _contradict(question, best, measured[i])
    ]
    return [speaking[0], against[0]] if against and values else []


def _speaks(item: Measured, question: Question) -> bool:
    return (
        item.strip.is_evidence
        and item.features["context_coverage"] >= LEAST_COVERAGE
        and bool(_values(question, item.strip.text))
    )


def _contradict(question: Question, one: Measured, other: Measured) -> bool:
    mine, theirs = _values(question, one.strip.text), _values(question, other.strip.text)
    shared = set(mine) & set(theirs)
    if not shared or any(mine[unit] & theirs[unit] for unit in shared):
        return False
    if question.kind is not AnswerKind.DATE:
        # Two years, two figures: no contradiction.
        years = set(_YEAR.findall(one.strip.text)), set(_YEAR.findall(other.strip.text))
        if years[0] and years[1] and not years[0] & years[1]:
            return False
    return True


def _values(question: Question, text: str) -> dict[str, frozenset[str]]:
    """Values by their unit, so that metres are held against metres."""
    found: dict[str, set[str]] = {}
    if question.kind is AnswerKind.DATE:
        for match in _DAY.finditer(text):
            month = (match["m1"] or match["m2"]).lower()
            found.setdefault("day", set()).add(f"{int(match['d1'] or match['d2'])} {month}")
        if not found:
            for year in _YEAR.findall(text):
                if year not in question.numbers:
                    found.setdefault("year", set()).add(year)
    else:
        for match in _QUANTITY.finditer(text):
            unit = match["money"] or (terms(match["unit"] or "") or [match["unit"] or ""])[0]
            number = plain(match["number"])
            if number in question.numbers or (not match["money"] and _YEAR.fullmatch(number)):
                continue
            found.setdefault(unit, set()).add(number)
        found.pop("", None)
    return {unit: frozenset(values) for unit, values in found.items()}
