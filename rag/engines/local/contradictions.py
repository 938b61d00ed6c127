"""Sentences of different passages that give different values for the same thing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rag.answering.evidence import Measured, coverage
from rag.answering.opposites import opposed
from rag.answering.question import AnswerKind, Question, negations
from rag.engines.local.values import YEAR, Values, agree, values_of

# Both must speak of what is asked: this share of the question's weight, title included.
LEAST_COVERAGE = 0.75
NEARLY_ALL = 0.9
# Of the question's weight, what the sentence says itself, unless a pronoun stands for it.
LEAST_OWN = 0.3
# Two sentences with these many words in common say the same but for a "not".
LEAST_ALIKE = 0.5
MOST_SIDES = 3
# Possessive: a word of a thousand letters is not tried in every way it falls into four.
_LEANS = re.compile(r"(?:\W*+\w++){0,4}?\W*+\b(?:it|they|he|she|this|these)\b", re.IGNORECASE)
# The largest of several, the longer of two: each has its own figure.
_COMPARES = re.compile(r"\b(?:which of|more|most|least|fewer|\w{2,}est|or)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_PARTED = (
    frozenset(("adult", "adults", "child", "children", "senior", "seniors", "student", "students")),
    frozenset(("summer", "winter", "spring", "autumn", "season")),
    frozenset(
        ("first", "second", "third", "fourth", "fifth", "last", "next", "previous", "former")
    ),
    frozenset(("maximum", "minimum", "average", "mean", "total")),
    frozenset(("weekdays", "weekends", "saturdays", "sundays")),
)


def disagreeing(
    question: Question,
    measured: Sequence[Measured],
    weights: Mapping[str, float],
    ranked: Sequence[int],
    documents: Sequence[str],
) -> list[int]:
    """Indices of the first sentence that speaks of what is asked and of those in other
    documents that contradict it; empty if none does. `ranked` is what may be said, best first;
    `documents` names the document of each source.
    """
    documents_of = [documents[item.strip.source] for item in measured]
    if question.kind is AnswerKind.YES_NO:
        return _denied(question, measured, ranked, documents_of)
    if question.kind not in (AnswerKind.NUMBER, AnswerKind.DATE, AnswerKind.NAME):
        return []
    if question.kind is AnswerKind.NAME and _COMPARES.search(question.text):
        return []
    about = _Subject(question, measured, weights)
    speaking = [(i, v) for i in ranked if (v := about.values(i))]
    if not speaking or speaking[0][0] not in ranked[:2]:
        return []
    best, values = speaking[0]
    sides = [(best, values)]
    for i, other in speaking[1:]:
        if len(sides) < MOST_SIDES and all(
            documents_of[i] != documents_of[j]
            and _contradict(question, held, other, measured[j].strip.text, measured[i].strip.text)
            for j, held in sides
        ):
            sides.append((i, other))
    return [i for i, _ in sides] if len(sides) > 1 else []


class _Subject:
    """What a question is about, without the words that only ask."""

    def __init__(
        self, question: Question, measured: Sequence[Measured], weights: Mapping[str, float]
    ) -> None:
        self._question, self._measured, self._weights = question, measured, weights
        self._sources: dict[int, set[str]] = {}
        for item in measured:
            self._sources.setdefault(item.strip.source, set()).update(item.context)

    def values(self, i: int) -> Values:
        """Empty where the sentence speaks of something else."""
        item = self._measured[i]
        source = self._sources[item.strip.source]
        # "it is 391 m" takes its subject from what was said before.
        leans = _LEANS.match(item.strip.text)
        known = coverage(
            self._question.subject, source if leans else set(item.context), self._weights
        )
        named = self._question.names <= source or known >= NEARLY_ALL
        if (
            known < LEAST_COVERAGE
            or not named
            or not self._question.numbers <= item.context | source
        ):
            return {}
        own = coverage(self._question.subject, set(item.strip.terms), self._weights)
        if not leans and own < LEAST_OWN:
            return {}
        return values_of(self._question, item.strip.text)


def _contradict(question: Question, mine: Values, theirs: Values, one: str, other: str) -> bool:
    shared = set(mine) & set(theirs)
    if not shared or any(agree(mine[unit], theirs[unit]) for unit in shared):
        return False
    words = ({w.lower() for w in _WORD.findall(one)}, {w.lower() for w in _WORD.findall(other)})
    if any(
        words[0] & kind and words[1] & kind and not words[0] & words[1] & kind for kind in _PARTED
    ):
        return False
    if question.kind is AnswerKind.DATE:
        return True
    # Two years, two figures: no contradiction.
    years = set(YEAR.findall(one)), set(YEAR.findall(other))
    return not (years[0] and years[1] and not years[0] & years[1])


def _denied(
    question: Question,
    measured: Sequence[Measured],
    ranked: Sequence[int],
    documents: Sequence[str],
) -> list[int]:
    """The best sentence and one of another passage that says the same with a "not"."""
    if not ranked:
        return []
    best = measured[ranked[0]].strip
    for i in ranked[1:]:
        other = measured[i].strip
        alike = set(best.terms) & set(other.terms)
        if (
            documents[i] != documents[ranked[0]]
            and len(alike) >= LEAST_ALIKE * len(set(best.terms) | set(other.terms))
            and len(alike & set(question.terms)) >= LEAST_ALIKE * len(question.terms)
            and _opposite(best.text, other.text)
        ):
            return [ranked[0], i]
    return []


def _opposite(one: str, other: str) -> bool:
    words = [word.lower() for word in _WORD.findall(one)], {w.lower() for w in _WORD.findall(other)}
    return bool(negations(one)) != bool(negations(other)) or opposed(words[0], words[1])
