"""Checks whether a claim's numbers, dates, versions and names stand in its quotes."""

from __future__ import annotations

import re
import unicodedata
from calendar import month_name
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.citations.denial import find_denial
from rag.citations.reckoning import is_reckoned
from rag.index.language import language_of
from rag.index.terms import terms

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SPELT = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * place for place, word in enumerate(_TENS.split(), start=2)
}
_SPELT |= {
    f"{ten}-{one}": _SPELT[ten] + _SPELT[one]
    for ten in _TENS.split()
    for one in _ONES.split()[1:10]
}
_ORDINALS = "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_SPELT |= {word: place for place, word in enumerate(_ORDINALS.split(), start=3)}
_FIGURE = re.compile(
    # A date, a time of day, or a number. A range (2-3) is two numbers, and so is 8080:80.
    r"(?<![\w.])(?:[12]\d{3}-\d\d-\d\d|\d{1,2}(?::[0-5]\d){1,2}(?!\d)|\d+(?:[.,’'/_]\d+)*)"
    r"|(?<=[A-Za-z_])\d+(?:\.\d+)*"
    rf"|\b(?:{'|'.join(sorted(_SPELT, reverse=True))})\b",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"\d{1,3}(?:[,’'_]\d{3})+(?:\.\d+)?$")
_SWAPPED = str.maketrans(".,", ",.")
_BEFORE = re.compile(r"([^\W\d_]{2,})[\s:(“\"'`]{0,3}$")
_BEHIND = re.compile(r"[\s-]{0,2}([^\W\d_]{1,}|%)")
_BESIDE_ANY = frozenset(terms("every least within"))
_NAME = re.compile(
    r"`(?P<code>[^`\n]{1,200})`"
    r"|(?P<option>(?<!\w)--?[A-Za-z][\w-]*)"
    r"|(?P<mark>(?!(?:e\.g|i\.e)\b)[A-Za-z_]\w*(?:[._/:@\\]+\w+)+|\w+_\w+|[a-z]+[A-Z]\w*)"
    r"|(?P<capital>(?<!\w)[A-Z][^\W_]+(?:-[^\W_]+)*)"
)
_SENTENCE_OPENS = re.compile(r"(?:^|[.!?:;]\s|\n)[\s\-*+•\d.)#“\"'(]*$")
_AMOUNT = re.compile(r"\d{1,12}(?:\.\d{1,6})?")
_OF_TIME = re.compile(r"[/:]|\d-\d")
_MONTHS = frozenset(month_name[1:])
_YEAR = re.compile(r"[12]\d{3}")
_DATE = re.compile(r"\b(?P<year>[12]\d{3})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-3]\d)\b")
_UNCOUNTED = re.compile(r"\bhttps?://[^\s)>\]`]+|^[ \t]*\d{1,3}[.)](?=[ \t])", re.MULTILINE)
"""Matches what holds no figure of the claim: an address, and a list item's own number."""
_PLAIN = re.compile(r"[\W_]+|(?<=\d)(?=[^\W\d_])")
"""Matches what parts words, also a number from its unit: 10GB is 10 GB."""
_VALUE = re.compile(r"true|false|yes|no|on|off|[\d.,]+", re.IGNORECASE)
"""Matches what code gives a name, and is none itself."""
_NUMBER = rf"(?:\d[\d.,]*|an?|{'|'.join(sorted(_SPELT, reverse=True))})"
_TIME = r"second|minute|hour|day|week|month|year"
_SPAN = re.compile(rf"\b({_NUMBER})[\s-]+(?:[a-z]+\s)?({_TIME})s?\b", re.IGNORECASE)
_ANOTHER = re.compile(
    r"\b(?:twice|thrice|half|(?:doubl|tripl|halv)\w+|instead|(?:long|short|lat|earli|high|low|larg"
    r"|small|fast|slow)er|more|fewer|less"
    rf"|{_NUMBER}[ -]?(?:{_TIME}|[kmgt]i?b|byte|percent|%)s?)(?!\w)",
    re.IGNORECASE,
)
"""Matches what asks for another number than the documents give: one that is set, or more."""
_MOST = 30
"""How many numbers that its quotes lack are held against these."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, date or version. `value` is compared; `beside` are the words next to it."""

    written: str
    value: str
    beside: frozenset[str]

    @property
    def readings(self) -> frozenset[str]:
        """The values that it may have here and elsewhere: 2,5 may be 2.5, and 1.204 be 1,204."""
        return frozenset((self.value, _value(self.written.casefold().translate(_SWAPPED))))

    def same_subject(self, other: Figure) -> bool:
        """Whether both count the same thing: they share a word beside them, or both are years."""
        if bool(_OF_TIME.search(self.written)) is not bool(_OF_TIME.search(other.written)):
            return False
        if self.beside or other.beside:
            return bool(self.beside & other.beside)
        return all(_YEAR.fullmatch(each.value) for each in (self, other))

    @property
    def amounts(self) -> list[float]:
        """Its readings as numbers; a date, a time or a version is none."""
        return [float(each) for each in self.readings if _AMOUNT.fullmatch(each)]

    def rounds(self, other: Figure) -> bool:
        """Whether it says less than the other, not something else: Python 3 of 3.8."""
        return re.fullmatch(rf"{re.escape(self.value)}\.\d\d?(?:\.\d+)*", other.value) is not None


def find_discrepancy(
    text: str,
    quotes: Sequence[str],
    question: str = "",
    headings: Sequence[str] = (),
    passages: Sequence[str] = (),
) -> tuple[Literal["contradicted", "unverified"], str] | None:
    """A verdict and its reason where a claim says what its quotes do not; None where they agree.
    `contradicted`: the quotes give another number beside the same word, from which the claim's
    cannot be reckoned, and the question asks for none of its own ("for two weeks", "longer").
    `unverified`: they lack a number or a name of the claim, count another unit of time by one of
    its numbers, or deny what it states.

    Numbers must stand in the quotes, in the question, or in the titles and `headings` above the
    quotes; names, but for months, may also stand in the `passages` around these.
    """
    quotes = [*quotes, *(_dates(quote) for quote in quotes if _DATE.search(quote))]
    given = [figure for quote in quotes for figure in figures(quote)]
    asked = [*figures(question)]
    known = _readings([*given, *asked, *(f for each in headings for f in figures(each))])
    said = [*figures(_UNCOUNTED.sub(" ", text))]
    lacking = [f for f in said if f.readings.isdisjoint(known) and f.written.casefold() != "one"]
    if not _ANOTHER.search(question):
        own = _readings(said)
        for figure in lacking[:_MOST]:
            if other := _other_number(figure, own, given, asked):
                return "contradicted", f"its quote says {other.written}, not {figure.written}"
    stated = _plain(" ".join((*quotes, question, *headings)))
    around = stated + _plain(" ".join(passages))
    unsaid = [
        *(figure.written for figure in lacking),
        *(
            name
            for name in _names(text)
            if not _stands(_plain(name).strip(), stated if name in _MONTHS else around)
        ),
        *_other_units(text, " ".join((*quotes, question))),
    ]
    if unsaid:
        return "unverified", f"its quote does not say {', '.join(dict.fromkeys(unsaid))}"
    if denied := find_denial(text, quotes):
        return "unverified", f"one of the two denies “{denied}”, its quote or it"
    return None


def _other_number(
    figure: Figure, own: frozenset[str], given: Sequence[Figure], asked: Sequence[Figure]
) -> Figure | None:
    """The figure that is `given` in place of this one, and is none of the claim's `own`; None where
    this one says less than another, or may be reckoned.
    """
    alike = [other for other in given if figure.same_subject(other)]
    other = next((each for each in alike if each.value not in own), None)
    if other is None or any(map(figure.rounds, alike)):
        return None
    return None if _may_reckon(figure, [*given, *asked]) else other


def _may_reckon(figure: Figure, given: Sequence[Figure]) -> bool:
    """Whether the figure can be reckoned from those given."""
    alike = [n for each in given if figure.beside & each.beside for n in each.amounts]
    percents = [n for each in given if "percent" in each.beside for n in each.amounts]
    every = [n for each in given for n in each.amounts]
    return any(is_reckoned(each, alike, every, percents) for each in figure.amounts)


def readings_of(text: str) -> frozenset[str]:
    """The values that the numbers of a text may have; its dates also by day, month and year."""
    return _readings(figures(f"{text} {_dates(text)}"))


def _readings(found: Iterable[Figure]) -> frozenset[str]:
    return frozenset().union(*(figure.readings for figure in found))


def _dates(text: str) -> str:
    """The ISO dates of a text in words: 2014-09-16 is 16 September 2014."""
    return " ".join(
        f"{int(found['day'])} {month_name[int(found['month'])]} {found['year']}"
        for found in _DATE.finditer(text)
    )


def figures(text: str) -> Iterator[Figure]:
    for found in _FIGURE.finditer(text):
        before = _BEFORE.search(text, max(0, found.start() - 40), found.start())
        behind = _BEHIND.match(text, found.end())
        near = " ".join(each[1] for each in (before, behind) if each is not None)
        beside = frozenset(terms(near.replace("%", "percent"))) - _BESIDE_ANY
        yield Figure(found[0], _value(found[0].casefold()), beside)


def _value(written: str) -> str:
    if written in _SPELT:
        return str(_SPELT[written])
    if _GROUPED.match(written):
        written = re.sub(r"[,’'_]", "", written)
    if re.fullmatch(r"\d+(?:\.\d+)?", written):
        return written.lstrip("0").removesuffix(".0") or "0"
    return written.lstrip("0")


def _other_units(text: str, told: str) -> Iterator[str]:
    """The units of time of which the text counts as many as was told of another: 30 hours, where
    it is 30 minutes.
    """
    units: dict[str, set[str]] = {}
    for number, unit in _spans(told):
        units.setdefault(number, set()).add(unit)
    yield from (unit for number, unit in _spans(text) if unit not in units.get(number, {unit}))


def _spans(text: str) -> Iterator[tuple[str, str]]:
    """The numbers of a text that count a unit of time, each with the unit; "a week" counts one."""
    for found in _SPAN.finditer(text):
        number = found[1].casefold()
        yield "1" if number in ("a", "an") else _value(number), found[2].casefold()


def _names(text: str) -> Iterator[str]:
    is_german = language_of(text) == "german"  # where each noun has a capital
    for found in _NAME.finditer(text):
        if found["capital"] and (
            is_german
            or found[0].casefold() in _SPELT
            or _SENTENCE_OPENS.search(text, max(0, found.start() - 8), found.start())
        ):
            continue
        names = re.split(r"[\s=]+", found["code"]) if found["code"] else [found[0]]
        yield from (each for each in names if _plain(each).strip() and not _VALUE.fullmatch(each))


def _stands(name: str, plain: str) -> bool:
    """Whether the name stands in the text, with or without the s of a plural."""
    return any(f" {each} " in plain for each in (name, f"{name}s", name.removesuffix("s")))


def _plain(text: str) -> str:
    composed = unicodedata.normalize("NFC", text)
    return f" {_PLAIN.sub(' ', composed.casefold()).strip()} "
