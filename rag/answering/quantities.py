"""Numbers in text, brought to one form: "6,000" is "6000", "twenty-one" is "21"."""

from __future__ import annotations

import re

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905
_VALUES = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * place for place, word in enumerate(_TENS, start=2)
}
_PAIR = rf"(?:{'|'.join(_TENS)})-(?:{'|'.join(_ONES[1:10])})"
NUMBER = rf"(?<!\d)\d++(?:[.,]\d++)*+|\b(?:{_PAIR}|{'|'.join(_VALUES)})\b"
"""A pattern for one number, in digits or words."""

_NUMBER = re.compile(NUMBER, re.IGNORECASE)
# "one" is more often a pronoun than a count.
_NO_COUNT = frozenset({"one", "One"})


def numbers(text: str) -> frozenset[str]:
    return frozenset(
        plain(match.group()) for match in _NUMBER.finditer(text) if match.group() not in _NO_COUNT
    )


def plain(number: str) -> str:
    """One form for one value."""
    if not number[0].isdigit():
        return str(sum(_VALUES[piece] for piece in number.lower().split("-")))
    number = number.replace(",", "").rstrip(".")
    return number.rstrip("0").rstrip(".") if "." in number else number
