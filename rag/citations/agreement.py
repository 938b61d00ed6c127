"""Checks whether a claim's numbers, dates, versions and names stand in its quotes."""

from __future__ import annotations

import re
import unicodedata
from calendar import month_name
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import isclose
from typing import Literal

from rag.citations.denial import find_denial
from rag.citations.figures import SPELT, TIME, UNIT, Figure, dates, figures, readings, value_of
from rag.index.language import language_of

_SENTENCE_OPENS = re.compile(r"(?:^|[.!?:;]\s|\n)[\s\-*+•\d.)#“\"'(]*$")
_MONTHS = frozenset(month_name[1:])
_UNCOUNTED = re.compile(r"\bhttps?://[^\s)>\]`]+|^[ \t]*\d{1,3}[.)](?=[ \t])", re.MULTILINE)
"""Matches what holds no figure of the claim: an address, and a list item's own number."""
_PLAIN = re.compile(r"[\W_]+|(?<=\d)(?=[^\W\d_])")
"""Matches what parts words, also a number from its unit: 10GB is 10 GB."""
_VALUE = re.compile(r"true|false|yes|no|on|off|[\d.,]+", re.IGNORECASE)
"""Matches what code gives a name, and is none itself."""
_NUMBER = rf"(?:\d[\d.,]*|an?|{'|'.join(sorted(SPELT, reverse=True))})"
_NAME = re.compile(
    r"`(?P<code>[^`\n]{1,200})`"
    r"|(?P<option>(?<!\w)--?[A-Za-z][\w-]*)"
    r"|(?P<mark>(?!(?:e\.g|i\.e)\b)[A-Za-z_]\w*(?:[._/:@\\]+\w+)+|\w+_\w+|[a-z]+[A-Z]\w*)"
    r"|(?P<capital>(?<!\w)[A-Z][^\W_]+(?:-[^\W_]+)*)"
)
_SPAN = re.compile(rf"\b({_NUMBER})[\s-]+(?:[a-z]+\s)?({TIME})s?\b", re.IGNORECASE)
_ANOTHER = re.compile(
    r"\b(?:twice|thrice|half|(?:doubl|tripl|halv)\w+|instead|(?:long|short|lat|earli|high|low|larg"
    r"|small|fast|slow)er|more|fewer|less"
    rf"|{_NUMBER}[ -]?(?:{UNIT}|%)s?)(?!\w)",
    re.IGNORECASE,
)
"""Matches what asks for another number than the documents give: one that is set, or more."""
_ROUNDED = 1e-4
_FEW = 12
_UNITS = (7, 12, 24, 60, 1000)
"""How many times a number may be taken, or shared out, without a word of it: in another unit."""
_TIMES = (*range(2, _FEW + 1), *_UNITS)
"""The same where a quote's other number would contradict it: as one of a few, too. The multiples of
few are all numbers.
"""
_MOST = 30
"""How many numbers that its quotes lack are held against these, and against how many."""


def find_discrepancy(
    text: str,
    quotes: Sequence[str],
    question: str = "",
    headings: Sequence[str] = (),
    passages: Sequence[str] = (),
    document: str = "",
) -> tuple[Literal["contradicted", "unverified"], str] | None:
    """A verdict and its reason where a claim says what its quotes do not; None where they agree.
    `contradicted`: the quotes give one other number beside the same word, from which the claim's
    cannot be reckoned; it stands beside that word nowhere in the `document` that was given, of
    which a model need not quote all; and the question asks for none of its own ("for two weeks").
    `unverified`: they lack a number or a name of the claim, count another unit of time by one of
    its numbers, or deny what it states.

    Numbers must stand in the quotes, in the question, or in the titles and `headings` above the
    quotes, or follow from those by reckoning; a count in words needs them only where the quotes
    count the same thing. Names, but for months, may also stand in the `passages` around these.
    """
    quotes = [*quotes, dates(" ".join(quotes))]
    given = [figure for quote in quotes for figure in figures(quote)]
    known = [*given, *figures(question)]
    numbers = [each for each in dict.fromkeys(known) if each.amounts]
    values = readings([*known, *(f for each in headings for f in figures(each))])
    said = [*figures(_UNCOUNTED.sub(" ", text))]
    lacking = [f for f in said if f.readings.isdisjoint(values) and f.written.casefold() != "one"]
    if not _ANOTHER.search(question):
        own = readings(said)
        others = {f: o for f in lacking[:_MOST] if (o := _other_number(f, own, given, known))}
        beside = [*figures(document)] if others else []
        for each, other in others.items():
            times = _TIMES if max(other.amounts, default=0) >= _FEW else ()
            if not (_is_reckoned(each, numbers, numbers, times) or _stands_beside(each, beside)):
                return "contradicted", f"its quote says {other.written}, not {each.written}"
    stated = _plain(" ".join((*quotes, question, *headings)))
    around = stated + _plain(" ".join(passages))
    counts, counted = _spans(text), _spans(" ".join((*quotes, question)))
    unsaid = [
        *(each.written for each in lacking[:_MOST] if not _is_told(each, given, numbers)),
        *(each.written for each in lacking[_MOST:]),
        *(
            name
            for name in _names(text)
            if not _stands(_plain(name).strip(), stated if name in _MONTHS else around)
        ),
        *(unit for number, unit in sorted(counts - counted) if number in dict(counted)),
    ]
    if unsaid:
        return "unverified", f"its quote does not say {', '.join(dict.fromkeys(unsaid))}"
    if denied := find_denial(text, quotes):
        return "unverified", f"one of the two denies “{denied}”, its quote or it"
    return None


def _other_number(
    figure: Figure, own: frozenset[str], given: Sequence[Figure], known: Sequence[Figure]
) -> Figure | None:
    """The one figure that is `given` in place of this one, and is none of the claim's `own`; None
    where several are, which may be summed up, and where this one says less or may be reckoned from
    times that are `known`: the hours between two, the day so many days later.
    """
    alike = {each.value: each for each in given if figure.same_subject(each)}
    if len(alike) != 1 or not own.isdisjoint(alike):
        return None
    (other,) = alike.values()
    of_times = figure.of_time and sum(each.of_time for each in known) > 1
    return None if of_times or figure.rounds(other) else other


def _is_told(figure: Figure, given: Sequence[Figure], known: Sequence[Figure]) -> bool:
    """Whether quotes tell a number that they lack: it can be reckoned, or it counts in a word what
    they do not count ("the two ways"). What they count by another number must be reckoned from
    numbers of the same thing.
    """
    if any(map(figure.same_subject, given)):
        return _is_reckoned(figure, [*filter(figure.same_subject, known)], known)
    return figure.written.casefold() in SPELT or _is_reckoned(figure, known, known, _UNITS)


def _is_reckoned(
    figure: Figure, of: Sequence[Figure], known: Sequence[Figure], times: Sequence[int] = ()
) -> bool:
    """Whether the number is a sum or a difference `of` these, a percentage of one that is known, or
    one of them multiplied or divided by a known number or one of the `times`.
    """
    parts = _amounts(of)
    factors = {*_amounts(known), *times} - {0.0}
    shares = [each / 100 for each in _amounts([f for f in known if "percent" in f.beside])]
    found = [sum(parts)] if len(parts) > 2 else []
    for one, other in combinations(parts, 2):
        found += [one + other, abs(one - other)]
    for one in parts:
        found += [value for by in factors if by != one for value in (one * by, one / by)]
        found += [one * by for share in shares for by in (share, 1 - share, 1 + share)]
    return any(isclose(value, each, rel_tol=_ROUNDED) for value in figure.amounts for each in found)


def _amounts(found: Sequence[Figure]) -> list[float]:
    return [*dict.fromkeys(amount for each in found[:_MOST] for amount in each.amounts)]


def _stands_beside(figure: Figure, document: Sequence[Figure]) -> bool:
    """Whether the document gives that number beside a word that the claim has it beside."""
    return any(
        not figure.readings.isdisjoint(each.readings) and figure.same_subject(each)
        for each in document
    )


def _spans(text: str) -> set[tuple[str, str]]:
    """The numbers of a text that count a unit of time, each with the unit; "a week" counts one."""
    found = ((each[1].casefold(), each[2].casefold()) for each in _SPAN.finditer(text))
    return {("1" if number in ("a", "an") else value_of(number), unit) for number, unit in found}


def _names(text: str) -> Iterator[str]:
    is_german = language_of(text) == "german"  # where each noun has a capital
    for found in _NAME.finditer(text):
        if found["capital"] and (
            is_german
            or found[0].casefold() in SPELT
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
