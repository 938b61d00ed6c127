"""A follow-up becomes a question that stands alone; one that stands alone is left untouched.

What it leans on is carried over behind it: the last question that stood alone and what was asked
since, as typed. What reads the whole reads the question by itself, too (`rag/reading/meaning.py`),
so that the old topic does not drown the new question. Choosing words of the earlier questions in
their place answered one fewer of 45 turns over seven documentations.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.index.reader import CollectionReader
from rag.index.terms import terms
from rag.question.aside import is_aside
from rag.question.parse import with_context
from state.passages import HistoryTurn

# Sums of weights, where 1 is the weight of a term that one chunk alone holds, or none.
_ONE_WORD = 1.0
"""A fragment that weighs no more ("Celts", "winter fares") is seldom a question of its own, and
what weighs no more before a pronoun seldom what it means: it may be a verb.
"""
_BARE = 0.6
"""The same for a question in whole words ("is there more?")."""

_LOOK_BACK = 3
"""Questions that are carried at most."""

_OPENING = re.compile(r"\W*(?:and|(?:what|how)\s+about)\b", re.IGNORECASE)
_PRONOUN = re.compile(  # no part of an option (--one-file-system)
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
    asked = [turn for turn in history if terms(turn["question"]) and not is_aside(turn["question"])]
    if not asked or not _leans(question, _weights(question, collection)):
        return FollowUp(question)
    alone = [turn["standalone_question"] == turn["question"] for turn in asked]
    topic = len(alone) - 1 - alone[::-1].index(True) if any(alone) else 0
    leant_on = asked[topic:][-_LOOK_BACK:]
    carried = " ".join(dict.fromkeys(turn["question"].strip() for turn in leant_on))
    return FollowUp(with_context(question, carried), carried)


def _leans(question: str, weights: Mapping[str, float]) -> bool:
    """Whether the question says too little alone, or a pronoun has nothing before it to mean."""

    def mass(text: str) -> float:
        return sum(weights[term] for term in set(terms(text)))

    first = next(iter(question.split()), "")
    if _OPENING.match(question) or mass(question) <= (_ONE_WORD if terms(first) else _BARE):
        return True
    pronoun = _PRONOUN.search(question)
    return pronoun is not None and _nothing_before(pronoun, weights)


def _nothing_before(pronoun: re.Match[str], weights: Mapping[str, float]) -> bool:
    """Whether what stands before it weighs too little for it to mean."""
    before = set(terms(pronoun.string[: pronoun.start()]))
    return sum(weights.get(term, 1.0) for term in before) <= _ONE_WORD


def _weights(question: str, collection: CollectionReader) -> dict[str, float]:
    """Of its terms, 0 to 1 by inverse document frequency. A word that no document has may well be
    the new topic: it counts as the rarest.
    """
    held = collection.document_frequencies(sorted(set(terms(question))))
    chunks = collection.chunk_count
    rarest = math.log((chunks + 1) / 1.5)
    return {
        term: max(0.0, math.log((chunks + 1) / (held[term] + 0.5)) / rarest) or 1.0
        if held.get(term) and rarest > 0
        else 1.0
        for term in terms(question)
    }
