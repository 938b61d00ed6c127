"""Finds the numbers, dates and versions of a text, with the words next to them."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rag.index.terms import terms

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SPELT = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * place for place, word in enumerate(_TENS.split(), start=2)
}
SPELT |= {
    f"{ten}-{one}": SPELT[ten] + SPELT[one] for ten in _TENS.split() for one in _ONES.split()[1:10]
}
_ORDINALS = "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
SPELT |= {word: place for place, word in enumerate(_ORDINALS.split(), start=3)}
_FIGURE = re.compile(
    # A date, a time of day, or a number. A range (2-3) is two numbers, and so is 8080:80.
    r"(?<![\w.])(?:[12]\d{3}-\d\d-\d\d|\d{1,2}(?::[0-5]\d){1,2}(?!\d)|\d+(?:[.,’'/_]\d+)*)"
    r"|(?<=[A-Za-z_])\d+(?:\.\d+)*"
    rf"|\b(?:{'|'.join(sorted(SPELT, reverse=True))})\b",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\d{1,3}(?:[,’'_]\d{3})+(?:\.\d+)?$")
_SWAPPED = str.maketrans(".,", ",.")
_BEFORE = re.compile(r"([^\W\d_]{2,})[\s:(“\"'`]{0,3}$")
_BEHIND = re.compile(r"[\s-]{0,2}([^\W\d_]{1,}|%)")
_BESIDE_ANY = frozenset(terms("every least within"))
_AMOUNT = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
_OF_TIME = re.compile(r"[/:]|\d-\d")
TIME = r"second|minute|hour|day|week|month|year"
_TIME_TERMS = frozenset(terms(f"{TIME} {' '.join(month_name)}".replace("|", " ")))
UNIT = rf"{TIME}|[kmgt]i?b|byte|percent"
_NUMBERED = re.compile(
    r"(?<![\w.,:/-])(?:(?P<name>[A-Za-z]{1,12})-?)?(?P<number>\d+(?:[.,]\d+)*)"
    rf"(?![\w.,:/-]*\w|\s?%|[\s-](?:{UNIT})s?\b)",
    re.IGNORECASE,
)
"""Matches a number, or a name that ends in one, which stands by itself and counts no unit: no day,
time or range in figures, which is written in many ways.
"""
_YEAR = re.compile(r"[12]\d{3}")
_DATE = re.compile(r"\b(?P<year>[12]\d{3})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-3]\d)\b")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, date or version. `value` is compared; `beside` are the words next to it."""

    written: str
    value: str
    beside: frozenset[str]

    @property
    def readings(self) -> frozenset[str]:
        """The values that it may have here and elsewhere: 2,5 may be 2.5, and 1.204 be 1,204."""
        return frozenset((self.value, value_of(self.written.casefold().translate(_SWAPPED))))

    def same_subject(self, other: Figure) -> bool:
        """Whether both count the same thing: they share a word beside them, or both are years."""
        if bool(_OF_TIME.search(self.written)) is not bool(_OF_TIME.search(other.written)):
            return False
        if self.beside or other.beside:
            return bool(self.beside & other.beside)
        return all(_YEAR.fullmatch(each.value) for each in (self, other))

    @property
    def of_time(self) -> bool:
        """Whether it is a time of day or a date, or counts a unit of time."""
        return bool(_OF_TIME.search(self.written) or self.beside & _TIME_TERMS)

    @property
    def amounts(self) -> list[float]:
        """Its readings as numbers; a date, a time or a version is none."""
        return [float(each) for each in self.readings if _AMOUNT.fullmatch(each)]

    def rounds(self, other: Figure) -> bool:
        """Whether it says less than the other, not something else: Python 3 of 3.8."""
        return re.fullmatch(rf"{re.escape(self.value)}\.\d\d?(?:\.\d+)*", other.value) is not None


def figures(text: str) -> Iterator[Figure]:
    """The figures of a text in their order."""
    for found in _FIGURE.finditer(text):
        before = _BEFORE.search(text, max(0, found.start() - 40), found.start())
        behind = _BEHIND.match(text, found.end())
        near = " ".join(each[1] for each in (before, behind) if each is not None)
        beside = frozenset(terms(near.replace("%", "percent"))) - _BESIDE_ANY
        yield Figure(found[0], value_of(found[0].casefold()), beside)


def value_of(written: str) -> str:
    """The value of a number as it is `written`, in small letters: 1,204 is 1204, seven is 7."""
    if written in SPELT:
        return str(SPELT[written])
    if _GROUPED.match(written):
        written = re.sub(r"[,’'_]", "", written)
    if re.fullmatch(r"\d+(?:\.\d+)?", written):
        return re.sub(r"\.0+$", "", written.lstrip("0")) or "0"
    return written.lstrip("0")


def readings_of(text: str) -> frozenset[str]:
    """The values that the numbers of a text may have; its dates also by day, month and year."""
    return readings(figures(f"{text} {dates(text)}"))


def unheld_numbers(question: str, text: str) -> list[str]:
    """The numbers and numbered names of a question (2019, F12) that a text has in no form. What
    counts a unit, as "for 3 weeks", may be the asker's own.
    """
    held = readings_of(text)
    lacking = []
    for found in _NUMBERED.finditer(question):
        name, number = found["name"], found["number"]
        if name:
            stands = re.search(rf"(?i)\b{name}[\W_]?{re.escape(number)}\b", text) is not None
        else:
            stands = not held.isdisjoint(readings_of(found[0]))
        if not stands:
            lacking.append(found[0])
    return lacking


def readings(found: Iterable[Figure]) -> frozenset[str]:
    """All values that the figures may have."""
    return frozenset().union(*(figure.readings for figure in found))


def dates(text: str) -> str:
    """The ISO dates of a text in words: 2014-09-16 is 16 September 2014."""
    return " ".join(
        f"{int(found['day'])} {month_name[int(found['month'])]} {found['year']}"
        for found in _DATE.finditer(text)
    )
