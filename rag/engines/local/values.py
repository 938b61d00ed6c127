"""The figures and dates a sentence gives, by their unit, and when two of them say the same."""

from __future__ import annotations

import re

from rag.answering.quantities import NUMBER, plain
from rag.answering.question import AnswerKind, Question
from rag.index.terms import terms

Values = dict[str, frozenset[str]]

YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2})\b")
_QUANTITY = re.compile(
    rf"(?P<money>[$€£¥])?(?P<number>{NUMBER})(?:\s+(?P<scale>hundred|thousand|million|billion|trillion))?"
    r"[\s-]*(?P<unit>%|[^\W\d_]+(?:/[^\W\d_]+)?)?",
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
_COUNTED = re.compile(r"\bhow many\s+(?:[^\W\d_]+\s+)??(?P<what>[^\W\d_]+)", re.IGNORECASE)
_AGE = re.compile(r"\bhow old\b|\bwhat age\b", re.IGNORECASE)
_MOST = 2
"""Of one unit in a sentence; with more, no one of them is the sentence's figure."""

_ROUGHLY = re.compile(
    r"\b(?:about|around|some|nearly|almost|over|roughly|approximately|circa|ca)\s+$",
    re.IGNORECASE,
)
_NEAR = 0.15
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}


def values_of(question: Question, text: str) -> Values:
    """Values by their unit, so that metres are held against metres. Those of the question and
    those that nothing says what they count are left out.
    """
    found = _dates(question, text) if question.kind is AnswerKind.DATE else _figures(question, text)
    return {unit: frozenset(held) for unit, held in found.items() if len(held) <= _MOST}


def agree(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a value of one is, up to its rounding, a value of the other."""
    return any(_same(a, b) for a in one for b in other)


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    rough = one.startswith("~") or other.startswith("~")
    a, b = _number(one), _number(other)
    if a is None or b is None:
        return False
    if a == b:
        return True
    if rough:
        return abs(a - b) <= _NEAR * max(abs(a), abs(b))
    # 17.4 km and 17 km are one length.
    places = min(_decimals(one), _decimals(other))
    return _decimals(one) != _decimals(other) and round(a, places) == round(b, places)


def _number(value: str) -> float | None:
    figure, _, scale = value.lstrip("~").partition(" ")
    try:
        return float(figure) * _SCALES.get(scale, 1)
    except ValueError:
        return None


def _decimals(value: str) -> int:
    return len(value.partition(" ")[0].partition(".")[2])


def _dates(question: Question, text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for match in _DAY.finditer(text):
        month = (match["m1"] or match["m2"]).lower()
        found.setdefault("day", set()).add(f"{int(match['d1'] or match['d2'])} {month}")
    if not found:
        years = {year for year in YEAR.findall(text) if year not in question.numbers}
        if years:
            found["year"] = years
    return found


def _figures(question: Question, text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    loose: list[str] = []
    for match in _QUANTITY.finditer(text):
        scale = match["scale"]
        number = plain(match["number"]) + (f" {scale.lower()}" if scale else "")
        if number in question.numbers or (not match["money"] and YEAR.fullmatch(number)):
            continue
        if match["number"].lower() == "one":
            continue
        shown = (
            f"~{number}"
            if _ROUGHLY.search(text, max(0, match.start() - 14), match.start())
            else number
        )
        unit = match["money"] or (terms(match["unit"] or "") or [match["unit"] or ""])[0]
        if match["money"] or match["unit"] == "%" or terms(match["unit"] or ""):
            found.setdefault(unit, set()).add(shown)
        else:
            loose.append(shown)
    # "Visitors had numbered 58,900", "may start at sixteen".
    asked = _asked_unit(question)
    if asked and asked not in found and len(loose) == 1:
        found[asked] = {loose[0]}
    return found


def _asked_unit(question: Question) -> str:
    if _AGE.search(question.text):
        return "year"
    match = _COUNTED.search(question.text)
    unit = terms(match["what"]) if match else []
    return unit[0] if unit else ""
