"""Splits claims and quotes into sentences and clauses."""

from __future__ import annotations

import re

_SENTENCE = re.compile(
    r"(?<=[.;:!?])\s+"
    # A line goes on in the next one, unless that is an item, a row or a paragraph.
    r"|\n(?=\s*(?:[-*+•|#>]|\d+[.)]\s|\n|$))"
)
_CLAUSE = re.compile(r",(?!\d)|[()—–]|\s-\s|\b(?:but|because|so that)\b")


def sentences_of(text: str) -> list[str]:
    return _SENTENCE.split(text)


def clauses_of(text: str) -> list[str]:
    return [clause for sentence in sentences_of(text) for clause in _CLAUSE.split(sentence)]
