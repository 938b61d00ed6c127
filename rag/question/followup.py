"""Makes a follow-up stand alone, by code; a question that stands alone already is left untouched.

A follow-up gets a context in brackets behind it: the last question that stood alone and what was
asked since, as typed. The reranker reads the question without its context too, and with what its
pronoun may mean, so that the old topic does not drown the new question. A context of chosen words
of the earlier questions answered one fewer of 45 turns over seven documentations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.index.terms import fold, term_spans, terms
from rag.question.parse import ASKS, VERBS, split_context, with_context
from rag.question.small_talk import small_talk
from rag.question.specificity import specificity, total_specificity
from state.passages import HistoryTurn

# Sums of specificities (`specificity.py`), of which a middling noun has about 1.
_TWO_WORDS = 1.7
"""A fragment that sums to no more ("Celts", "winter fares") is seldom a question of its own. Words
before a pronoun that sum to no more are seldom what it stands for: they may be a verb.
"""
_BARE = 0.9
"""The same for a whole question: "is that safe?" needs context, "where is the museum?" does not."""

_WHOLE = 2.0
"""A question behind "and" that sums to more, without a pronoun, is one of its own."""

_LOOK_BACK = 3
"""The most earlier questions that make up a context."""

_OPENING = re.compile(
    rf"\W*(?:(?P<asks>and\s+(?:{ASKS}))(?!\s+about)|and|(?:what|how)\s+about)\b", re.IGNORECASE
)
_STANDING = r"it|they|them|he|him|she|these|those|one(?!\s+of\b)"
"""Pronouns that a name can replace."""


def _pronouns(words: str) -> re.Pattern[str]:
    """Finds none in --one-file-system and example.it."""
    return re.compile(rf"(?<![\w.-])(?:{words})(?![\w-])", re.IGNORECASE)


_PRONOUN = _pronouns(f"{_STANDING}|its|their|his|her|ones")
_STANDS_FOR = _pronouns(f"{_STANDING}|this|that")

_FOLLOWS = (
    "affect|already|also|always|apply|be|break|cause|change|come|cost|cover|delete|done|enough|go|"
    "happen|help|how|include|kept|known|last|like|made|matter|mean|necessary|need|normal|often|"
    "overwrite|paid|per|possible|really|remove|replace|require|run|safe|set|start|still|take|true|"
    "used|what|when|why|without|work|written"
)
_LATER = "again|first|instead|later|next|now|too"
_ALONE = re.compile(
    rf"\b(?:{VERBS})\s+(?P<is>this|that)\s+(?:{VERBS}|{_FOLLOWS}|\w{{3,}}ed)\b"
    rf"|\b(?P<at_end>this|that|these|those|it|them|him)(?=\s+(?:{_LATER})\b|\W*$)"
    r"|\b(?P<moment>then|afterwards?|beforehand|(?<!\bis )(?<!are )(?<!was )(?<!were )there)\W*$",
    re.IGNORECASE,
)
"""What stands for something without a noun behind it, as in "how long does that take?", "what comes
with it?" and "what must be checked afterwards?"."""
_CLAUSE = re.compile(
    rf"(?:[,;:.?!]|\b(?:and|or|but|if|because|since|so|that|before|after|until|unless|once|as|than|{ASKS}))"
    r"(?=\s+\w)|\bto\s+(?!(?:the|an?)\b)\w+\s+$|\b\w{3,}ing\s+$",
    re.IGNORECASE,
)
"""What begins a clause; of what stands before its last one, such a word may speak."""

_TOPICS = 2
"""The most words of the context that a follow-up's pronoun may stand for."""
_LEAST_TOPIC = 0.6


def stand_alone(question: str, history: Sequence[HistoryTurn]) -> tuple[str, str]:
    """The question made to stand alone, and the context added for that, which may be empty.
    `history` is oldest first; turns that ask nothing (thanks) or the same are passed over.
    """
    others = (turn for turn in history if turn["question"].strip() != question.strip())
    asked = [turn for turn in others if _asks(turn["question"])]
    if not asked or not _needs_context(question):
        return question, ""
    alone = [turn["standalone_question"] == turn["question"] for turn in asked]
    topic = len(alone) - 1 - alone[::-1].index(True) if any(alone) else 0
    leant_on = asked[topic:][-_LOOK_BACK:]
    carried = " ".join(dict.fromkeys(turn["question"].strip() for turn in leant_on))
    return with_context(question, carried), carried


def _asks(text: str) -> bool:
    return bool(terms(text)) and small_talk(text) is None


def _needs_context(question: str) -> bool:
    """Whether the question says too little alone, or has nothing that its pronoun may stand for."""
    first = next(iter(question.split()), "")
    least = _TWO_WORDS if terms(first) else _BARE
    says = total_specificity(question)
    opening = _OPENING.match(question)
    whole = opening is not None and opening["asks"] and says > _WHOLE
    if says <= least or (opening is not None and not whole):
        return True
    pronoun = _PRONOUN.search(question)
    if pronoun is not None and total_specificity(question[: pronoun.start()]) <= _TWO_WORDS:
        return True
    alone = _ALONE.search(question)
    return alone is not None and total_specificity(_clauses_before(question, alone)) <= _TWO_WORDS


def _clauses_before(question: str, alone: re.Match[str]) -> str:
    """What stands before the clause of the word that stands for something."""
    before = question[: alone.start(alone.lastgroup or 0)]
    begins = [found.start() for found in _CLAUSE.finditer(before)]
    return before[: begins[-1]] if begins else ""


def resolved_wordings(question: str) -> list[str]:
    """The wordings that a follow-up may mean: a word of its context replaces its pronoun, or else
    stands at its end. One for each of the context's most specific words, and one for both.
    """
    typed, carried = split_context(question)
    known = {fold(typed[start:end]) for start, end, _ in term_spans(typed)}
    words = dict.fromkeys(carried[start:end] for start, end, _ in term_spans(carried))
    says = {word: specificity(fold(word)) for word in words if fold(word) not in known}
    most = sorted(says, key=lambda word: -says[word])[:_TOPICS]
    topics = [word for word in most if says[word] >= _LEAST_TOPIC]
    both = [" ".join(topics)] if len(topics) > 1 else []
    return [_about(typed, topic) for topic in topics + both]


def _about(typed: str, topic: str) -> str:
    pronoun = _STANDS_FOR.search(typed)
    if pronoun is None:
        return f"{typed.rstrip(' ?')} {topic}?"
    return typed[: pronoun.start()] + topic + typed[pronoun.end() :]
