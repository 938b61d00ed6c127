"""Tells whether of a claim and its quotes one denies what the other states."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.index.terms import terms
from state.wording import shorten

_SENTENCE = re.compile(
    r"(?<=[.;:!?])\s+"
    # A line goes on in the next one, unless that is an item, a row or a paragraph.
    r"|\n(?=\s*(?:[-*+•|#>]|\d+[.)]\s|\n|$))"
)
_CLAUSE = re.compile(r",(?!\d)|[()—–]|\s-\s|\b(?:but|because|so that)\b")
_DENIAL = re.compile(r"\b(?:not|never|cannot|nor|unable)\b|n['’]t\b", re.IGNORECASE)
_DENIES = re.compile(rf"{_DENIAL.pattern}|\b(?:no|none|nothing|nobody|excepted)\b", re.IGNORECASE)
_LIMITS = re.compile(r"\b(?:unless|until|before|except|only|just|if|than)\b", re.IGNORECASE)
_SUPPOSES = re.compile(rf"{_LIMITS.pattern}|\b(?:when|should)\b", re.IGNORECASE)
_MOST = 200
"""How many sentences of a claim, and how many stretches of its quotes, are compared."""
_LONGEST = 100


def find_denial(claim: str, quotes: Sequence[str]) -> str | None:
    """What one of the two states and the other denies, or None: a word right behind a denial, or a
    sentence of the claim all of whose words a sentence or clause of a quote has, if none has them
    without the denial. "Without" denies nothing: it comes with what is stated, and is told with it.
    """
    told = ". ".join(quotes)
    return _denied_word(claim, told) or _denied_word(told, claim) or _denied_sentence(claim, told)


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


def _denied_sentence(claim: str, told: str) -> str | None:
    stretches = [
        stretch
        for sentence in _sentences(told)
        if not _SUPPOSES.search(sentence)
        for stretch in (sentence, *_clauses(sentence))
    ]
    held = [(set(terms(each)), _denies(each)) for each in stretches[:_MOST]]
    for sentence in _sentences(claim)[:_MOST]:
        words = set(terms(sentence))
        found = [denies for held_words, denies in held if words <= held_words]
        if words and found and _denies(sentence) not in found:
            return shorten(sentence, _LONGEST)
    return None


def _denies(text: str) -> bool:
    return _DENIES.search(text) is not None


def _sentences(text: str) -> list[str]:
    return _SENTENCE.split(text)


def _clauses(text: str) -> list[str]:
    return [clause for sentence in _sentences(text) for clause in _CLAUSE.split(sentence)]
