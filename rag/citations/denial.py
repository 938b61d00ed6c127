"""Tells whether of a claim and its quotes one denies what the other states."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.index.terms import terms

_SENTENCE = re.compile(
    r"(?<=[.;:!?])\s+"
    # A line goes on in the next one, unless that is an item, a row or a paragraph.
    r"|\n(?=\s*(?:[-*+•|#>]|\d+[.)]\s|\n|$))"
)
_CLAUSE = re.compile(r",(?!\d)|[()—–]|\s-\s|\b(?:but|because|so that)\b")
_DENIAL = re.compile(r"\b(?:not|never|cannot|nor|unable)\b|n['’]t\b", re.IGNORECASE)
_DENIES = re.compile(rf"{_DENIAL.pattern}|\b(?:no|none|nothing|nobody|excepted)\b", re.IGNORECASE)
_LIMITS = re.compile(r"\b(?:unless|until|before|except|only|just|if|than)\b", re.IGNORECASE)


def find_denial(claim: str, quotes: Sequence[str]) -> str | None:
    """The word right behind a denial of one of the two which the other states, or None. "Without"
    denies nothing: it comes with what is stated, and is told with it.
    """
    told = ". ".join(quotes)
    return _denied_word(claim, told) or _denied_word(told, claim)


def _denied_word(text: str, against: str) -> str | None:
    """The word that the text denies and the other states. A denial with a condition ("not unless")
    does not count, nor that of a word which the same text states as well.
    """
    denying = filter(_DENIES.search, _clauses(against))
    said = set(terms(against)).difference(*map(terms, denying))
    for clause in _clauses(text):
        found = _DENIAL.search(clause)
        if found is not None and not _LIMITS.search(clause):
            denied = clause[found.end() :]
            word = next(iter(terms(denied)), None)
            if word in said and word not in terms(text.replace(denied, " ", 1)):
                return word
    return None


def _clauses(text: str) -> list[str]:
    return [clause for sentence in _SENTENCE.split(text) for clause in _CLAUSE.split(sentence)]
