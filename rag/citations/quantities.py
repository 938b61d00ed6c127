"""Numbers in text with their units, brought to one form: "6,000 m", "six kilometres", "6 km"."""

# ruff: noqa: RUF001, SIM905
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * place for place, word in enumerate(_TENS, start=2)
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august"
            "|sep sept september|oct october|nov november|dec december"
        ).split("|"),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    r"\b(?:(?P<iso>(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2}))\b"
    rf"|(?P<d1>{_DAY})(?:\s+of)?\s+(?P<m1>{_MONTH})\b\.?(?:,?\s+(?P<y1>\d{{4}})\b)?"
    rf"|(?P<m2>{_MONTH})\.?\s+(?P<d2>{_DAY})\b(?!\s*(?:[:.]\d|%))(?:,?\s+(?P<y2>\d{{4}})\b)?"
    rf"|(?P<m3>{_MONTH})\.?,?\s+(?P<y3>\d{{4}})\b)",
    re.IGNORECASE,
)
_SPELT = rf"\b(?:{'|'.join(_WORDS)})\b"
_DIGITS = (
    r"(?<![\w.,#])(?<![A-Za-z]-)[+−-]?\d+(?:[.,’' ](?=\d{3}(?!\d))\d{3})*(?:[.,]\d+)?(?!\d|[.,]\d)"
)
_NUMBER = re.compile(rf"(?P<sign>[€$£¥]\s?)?(?P<number>{_DIGITS}|{_SPELT})", re.IGNORECASE)
_SCALE = re.compile(rf"[\s-]+({'|'.join(_SCALES)})\b", re.IGNORECASE)
_WRITTEN_UNIT = re.compile(
    r"[\s-]*(per\s+cent\b|°\s?[CF](?:elsius|ahrenheit)?\b|km/h|[km]?m[²³]|[^\W\d_]+[23²³]?|[%€$£¥°])"
)
_ROUGH = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|ca\.|c\."
    r"|under|over|more than|less than|close to)|~|≈)\s*(?:[€$£¥]\s?)?$",
    re.IGNORECASE,
)
ROUNDING = 0.05
"""How far a number may lie from another one that it is said to be about."""

_LEAST_YEAR, _MOST_YEAR = 1000, 2999


@dataclass(frozen=True, slots=True)
class Quantity:
    """`values` are the readings of the number as it is written ("48.000" has two), in the first
    unit of its `dimension`; `plain` are the same without the unit. A date has a day, a month and
    a year instead, those that are told.
    """

    start: int
    end: int
    values: tuple[float, ...]
    plain: tuple[float, ...]
    dimension: str | None
    rough: bool = False
    date: tuple[int | None, int | None, int | None] | None = None

    def equals(self, other: Quantity) -> bool:
        """Whether the other may be what this one, perhaps roughly, says."""
        if self.date is not None or other.date is not None:
            return _same_date(self, other)
        if self.dimension is None or other.dimension is None:
            ours, theirs = self.plain + self.values, other.plain + other.values
        elif self.dimension != other.dimension:
            return False
        else:
            ours, theirs = self.values, other.values
        slack = ROUNDING if self.rough else 1e-6
        return any(abs(a - b) <= slack * max(abs(a), abs(b)) for a in ours for b in theirs)

    @property
    def kind(self) -> str:
        if self.date is not None:
            return "year" if self.date[:2] == (None, None) else "date"
        return self.dimension or "count"


def quantities(text: str) -> list[Quantity]:
    """In order, never overlapping."""
    dates = [*_dates(text)]
    numbers = (
        q for q in _numbers(text) if all(q.end <= d.start or d.end <= q.start for d in dates)
    )
    return sorted([*dates, *numbers], key=lambda q: q.start)


def _dates(text: str) -> Iterator[Quantity]:
    for match in _DATE.finditer(text):
        said = match.groupdict()
        day = said["d"] or said["d1"] or said["d2"]
        month = said["m1"] or said["m2"] or said["m3"]
        year = said["y"] or said["y1"] or said["y2"] or said["y3"]
        date = (
            int(re.sub(r"\D", "", day)) if day else None,
            int(said["m"]) if said["m"] else _MONTHS[month.lower()],
            int(year) if year else None,
        )
        yield Quantity(match.start(), match.end(), (), (), None, date=date)


def _numbers(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        written, start, end = match["number"], match.start(), match.end()
        values = _values(written)
        scaled = _SCALE.match(text, end)
        scale = _SCALES[scaled[1].lower()] if scaled else 1.0
        values = tuple(value * scale for value in values)
        end = scaled.end() if scaled else end
        dimension, size, end = _unit(text, end, match["sign"])
        year = dimension is None and scaled is None and re.fullmatch(r"\d{4}", written)
        if year and _LEAST_YEAR <= int(written) <= _MOST_YEAR:
            date = (None, None, int(written))
            yield Quantity(start, end, values, values, None, date=date)
            continue
        rough = _ROUGH.search(text, max(0, start - 24), start) is not None
        sized = tuple(value * size for value in values)
        yield Quantity(start, end, sized, values, dimension, rough)


def _values(written: str) -> tuple[float, ...]:
    """Every reading: a mark before three digits groups them or parts off the fraction."""
    if not any(character.isdigit() for character in written):
        return (float(_WORDS[written.lower()]),)
    plain = written.replace("−", "-").replace("’", "").replace("'", "").replace(" ", "")
    marks = re.findall(r"[.,]", plain)
    if not marks:
        return (float(plain),)
    grouped = float(re.sub(r"[.,]", "", plain))
    last = max(plain.rfind("."), plain.rfind(","))
    fraction = float(re.sub(r"[.,]", "", plain[:last]) + "." + plain[last + 1 :])
    groups = re.fullmatch(r"[+-]?\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*", plain)
    if groups is None:
        return (fraction,)
    return (grouped,) if len(marks) > 1 or groups[1] == "," else (grouped, fraction)


def _unit(text: str, end: int, sign: str | None) -> tuple[str | None, float, int]:
    signs, words = _units()
    if sign is not None:
        dimension, size = signs[sign.strip()]
        return dimension, size, end
    following = _WRITTEN_UNIT.match(text, end)
    if following is None:
        return None, 1.0, end
    unit = "".join(following[1].split())
    known = signs.get(unit) or (words.get(unit.lower()) if len(unit) > 2 else None)
    if known is None:
        return None, 1.0, end
    return known[0], known[1], following.end()


@cache
def _units() -> tuple[dict[str, tuple[str, float]], dict[str, tuple[str, float]]]:
    """Dimension and size by sign, and by word in lower case."""
    signs: dict[str, tuple[str, float]] = {}
    words: dict[str, tuple[str, float]] = {}
    table = Path(__file__).with_name("units.txt").read_text(encoding="utf-8")
    for line in table.splitlines():
        if line.startswith("#"):
            continue
        dimension, size, *written = line.split()
        for word in written:
            signs[word] = dimension, float(size)
            if len(word) > 2:
                words[word.lower()] = dimension, float(size)
    return signs, words


def _same_date(one: Quantity, other: Quantity) -> bool:
    """What both tell must agree; what looks like a year may be any number."""
    if one.date is None or other.date is None:
        dated, bare = (one, other) if one.date is not None else (other, one)
        assert dated.date is not None
        return dated.date[2] in bare.plain and dated.kind == "year"
    pairs = [
        (a, b) for a, b in zip(one.date, other.date, strict=True) if a is not None and b is not None
    ]
    return bool(pairs) and all(a == b for a, b in pairs)
