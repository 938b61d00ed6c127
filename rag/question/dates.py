"""Other forms of the days that a question names, as far as the collection holds them: what was
noted under 2026-05-24 is asked for as "24 May 2026", "May 24" or "24/05/2026".
"""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from itertools import islice

from rag.index.reader import CollectionReader
from rag.index.terms import terms
from rag.question.parse import split_context, with_context

MOST_FORMS = 4
"""So many days of a question are looked for at most, and so many forms are added, those of the
newest days.
"""
_YEARS = range(1900, 2100)
"""Years that are looked for where a question names none."""

_MONTHS = {name[:3].lower(): number for number, name in enumerate(month_name) if name}
_MONTH = "(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in month_name[1:]) + "|sept)"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<year>[12]\d{3}))?(?![\w-])"
_BEFORE = r"(?<![\w.,/-])"
_DATES = (
    re.compile(rf"{_BEFORE}{_DAY}\.?\s+(?:of\s+)?{_MONTH}\b\.?{_YEAR}", re.IGNORECASE),
    re.compile(rf"{_BEFORE}{_MONTH}\b\.?\s+{_DAY}(?![\d/.:]\d){_YEAR}", re.IGNORECASE),
    re.compile(
        rf"{_BEFORE}(?P<day>\d\d?)([/.])(?P<month>\d\d?)\2(?P<year>[12]\d{{3}})(?!\w|[./]\d)"
    ),
    re.compile(r"(?<![\w-])(?P<year>[12]\d{3})-(?P<month>\d\d)-(?P<day>\d\d)(?![\w-])"),
)


def with_dates(question: str, collection: CollectionReader) -> str:
    """The question with other forms of its days in its context, where the collection has them: as
    2026-05-24, or else, of those in figures, as 24 May 2026.
    """
    typed, context = split_context(question)
    matches = (found for pattern in _DATES for found in pattern.finditer(typed))
    named = list(islice(matches, MOST_FORMS))
    days = {day.isoformat(): (day, found) for found in named for day in _days(found)}
    held = collection.document_frequencies([*days]) if days else {}
    forms = [noted for noted in days if held[noted]]
    if not forms:
        figures = [day for day, found in days.values() if found["month"].isdigit()]
        written = [f"{day.day} {month_name[day.month]} {day.year}" for day in figures]
        forms = [w for w in written if all(collection.document_frequencies(terms(w)).values())]
    forms = sorted((each for each in forms if each not in typed), reverse=True)[:MOST_FORMS]
    return with_context(typed, " ".join(filter(None, [context, *forms])))


def _days(found: re.Match[str]) -> Iterator[date]:
    """The days that are meant: in every year where none is named. Two numbers are day and month, or
    else month and day.
    """
    day, month = int(found["day"]), _MONTHS.get(found["month"][:3].lower()) or int(found["month"])
    if month > max(_MONTHS.values()):
        day, month = month, day
    for year in [int(found["year"])] if found["year"] else _YEARS:
        with suppress(ValueError):  # no such day
            yield date(year, month, day)
