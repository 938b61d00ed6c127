"""A follow-up becomes a question that stands alone; one that stands alone is left untouched.

What was asked about is carried over behind the question, quoted as it was written. "And in
winter?" and "why?" take the whole last question along. Others take a few words of the earlier
questions: those that say the most (inverse document frequency), were asked the latest, and stand
in the titles and headings of what the questions find. A heading names a thing, and seldom says
what was done to it. A capital names one anyway.

Lists of vague words, of longer openings and of idle pronouns earned nothing on conversations over
documentation, nor did numbers, what stands beside a name, or how much an unknown word says in any
text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.index.protocol import CollectionReader
from rag.index.terms import term_spans, terms
from rag.question.aside import is_aside
from rag.question.context import parted, with_context
from rag.question.specificity import capitalized
from state.passages import HistoryTurn

# Sums of weights, where 1 is the weight of a term that one chunk alone holds, or none.
ONE_WORD = 1.0
"""A fragment that weighs no more ("Celts", "winter fares") is seldom a question of its own, and
what weighs no more before a pronoun seldom what it means: it may be a verb.
"""
BARE = 0.6
"""The same for a question in whole words ("is there more?")."""

CARRIED = 3
"""Terms at most: more of the old topic would drown the new question."""
NEAR_THE_BEST = 0.5
"""Of the best term's score, what another must have to be carried too."""
DECAY = 0.7
"""What a question is worth against the one after it."""
LOOK_BACK = 3
"""Turns: what was carried into a question is found in it again."""
HEADED = 3
"""Chunks of a question whose headings are looked at."""

_OPENING = re.compile(r"\W*(?:and|(?:what|how)\s+about)\b", re.IGNORECASE)
_CLAUSE = re.compile(
    r"\W*and\s+(?:who|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|will"
    r"|would|should|has|have|had)\b(?!\s+about\b)",
    re.IGNORECASE,
)
PRONOUN = re.compile(  # no part of an option (--one-file-system)
    r"(?<![\w-])(?:it|its|they|them|their|he|him|his|she|her|these|those|ones?)(?![\w-])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """`question` stands alone; `carried` is what was added to it, empty where nothing was."""

    question: str
    carried: str = ""


def stand_alone(
    question: str, history: Sequence[HistoryTurn], collection: CollectionReader
) -> FollowUp:
    """`history` is oldest first; turns without a question (thanks, greetings) are passed over."""
    asked_before = [turn for turn in history if not is_aside(turn["question"])]
    if not asked_before:
        return FollowUp(question)
    turns = asked_before[-LOOK_BACK:]
    own = set(terms(question))
    asked = (terms(turn["standalone_question"]) for turn in turns)
    weights = weights_of(sorted(own.union(*asked)), collection)
    if not _leans(question, saying(question, weights)):
        return FollowUp(question)
    if is_part(question):
        carried = _whole([turn for turn in asked_before if not is_part(turn["question"])])
    elif not own:
        carried = _whole(asked_before)
    else:
        carried = " ".join(_written(_topic(own, weights, turns, collection), turns))
    return FollowUp(with_context(question, carried), carried)


def _leans(question: str, weights: Mapping[str, float]) -> bool:
    """Whether the question says too little alone, or a pronoun has nothing before it to mean."""

    def mass(text: str) -> float:
        return sum(weights[term] for term in set(terms(text)))

    first = next(iter(question.split()), "")
    if _OPENING.match(question) or mass(question) <= (ONE_WORD if terms(first) else BARE):
        return True
    pronoun = PRONOUN.search(question)
    return pronoun is not None and nothing_before(pronoun, weights)


def nothing_before(pronoun: re.Match[str], weights: Mapping[str, float]) -> bool:
    """Whether what stands before it weighs too little for it to mean."""
    before = set(terms(pronoun.string[: pronoun.start()]))
    return sum(weights.get(term, 1.0) for term in before) <= ONE_WORD


def weights_of(wanted: Sequence[str], collection: CollectionReader) -> dict[str, float]:
    """0 to 1 by inverse document frequency; 0 for a term that no chunk has."""
    chunks = collection.chunk_count
    rarest = math.log((chunks + 1) / 1.5)
    found = collection.document_frequencies(wanted)
    return {
        term: max(0.0, math.log((chunks + 1) / (found[term] + 0.5)) / rarest)
        if found.get(term) and rarest > 0
        else 0.0
        for term in wanted
    }


def saying(question: str, weights: Mapping[str, float]) -> dict[str, float]:
    """The `weights` of the question's terms. A word that no document has may well be the new topic:
    it counts as the rarest.
    """
    return {term: weights[term] or 1.0 for term in terms(question)}


def _topic(
    own: set[str],
    weights: Mapping[str, float],
    turns: Sequence[HistoryTurn],
    collection: CollectionReader,
) -> list[str]:
    """The terms that name what the conversation is about, best first."""
    scores: dict[str, float] = {}
    for back, turn in enumerate(reversed(turns)):
        for age, text in enumerate(_subjects(turn), back):
            for term, worth in _names(text, weights, collection).items():
                if term not in own:
                    scores[term] = max(scores.get(term, 0.0), worth * DECAY**age)
    best = sorted(scores, key=lambda term: (-scores[term], term))
    return [term for term in best if scores[term] >= NEAR_THE_BEST * scores[best[0]]][:CARRIED]


def _subjects(turn: HistoryTurn) -> tuple[str, ...]:
    """What a question was about, the latest first: what "and X?" put in a part's place is newer
    than what it took along.
    """
    asked = turn["standalone_question"]
    if is_part(turn["question"]) and asked != turn["question"]:
        return parted(asked)
    return (asked,)


def _names(
    question: str, weights: Mapping[str, float], collection: CollectionReader
) -> dict[str, float]:
    """What the terms of a question that name things are worth: those with a capital, and those that
    stand in titles and headings of what it finds; all, where none does.
    """
    headings = {
        term
        for chunk in collection.search(question, HEADED)
        for term in terms(f"{chunk['title'] or ''} {chunk['heading']}")
    }
    named = headings | capitalized(question)
    known = {term: weights[term] for term in terms(question) if weights[term] > 0}
    return {term: weight for term, weight in known.items() if term in named} or known


def is_part(question: str) -> bool:
    """Whether it replaces a part of the question before it: "And in winter?"."""
    return bool(_OPENING.match(question)) and not _CLAUSE.match(question)


def _whole(turns: Sequence[HistoryTurn]) -> str:
    """The last question that had words of its own: "why?" asks about all of it."""
    for turn in reversed(turns):
        if terms(turn["question"]):
            asked = turn["standalone_question"].strip()
            if opening := _OPENING.match(asked):
                asked = asked[opening.end() :].strip()
            if turn["standalone_question"] != turn["question"]:
                asked, carried = parted(asked)
                asked = f"{asked.rstrip('?.! ')}, {carried}" if carried else asked
            return asked.rstrip(" ?.!")
    return ""


def _written(carried: Sequence[str], turns: Sequence[HistoryTurn]) -> list[str]:
    """The words of the carried terms as they were written last, in their order there, a number
    right behind one with it ("RFC 560").
    """
    found: list[str] = []
    left = set(carried)
    for turn in reversed(turns):
        text = turn["standalone_question"]
        reached = -1
        for start, end, held in term_spans(text):
            numbers = start == reached + 1 and text[start:end].isdigit()
            if numbers or left.intersection(held):
                found.append(text[start:end])
                reached = end
        left.difference_update(terms(text))
    return list(dict.fromkeys(reversed(found)))[::-1]
