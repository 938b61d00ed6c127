"""Whether the best sentence answers the question or only looks as if it did."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.answering.evidence import Measured
from rag.answering.logistic import Logistic, load_logistic
from rag.answering.question import Question
from rag.answering.strips import Strip, leans_on, same_source, unsaid
from rag.embed.protocol import Embedder
from rag.engines.local.mismatch import mismatches
from rag.index.terms import terms

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
# Words with these many letters in common at their start stand for each other ("built" does not
# for "build", but "invented" does for "invention"); others by their vectors.
STEM = 5
COUNTERPART = 0.7
MOST_UNMATCHED = 4
# Above this, likeness is that of a copy with a word changed as much as that of an answer; below
# that, short sentences under a heading are all unlike.
ALIKE = 0.6
UNLIKE = 0.45
SHORT = 9
BRIEF_TERMS = 2
LENIENT_THRESHOLD = 0.2
# What a statement and the sentence that answers it may differ in.
DISAGREEMENTS = ("number_missing", "opposite", "denial_missing")
_TOPIC = re.compile(r"\s\([^()]*\)\s*$")


def answerable_model() -> Logistic:
    """Its threshold is the probability below which the engine abstains."""
    return load_logistic(Path(__file__).with_name("answerable.json"))


def answers(question: Question, features: Mapping[str, float]) -> bool:
    """Whether to answer.

    A question of a word or two ("And in winter?") says too little to be amiss, and a statement
    is answered by what contradicts it as by what bears it out: the grader has found passages
    about either, and only a sure miss is refused.
    """
    model = answerable_model()
    if not question.asks:
        agreeing = {**features, **dict.fromkeys(DISAGREEMENTS, 0.0)}
        return model.probability(agreeing) >= LENIENT_THRESHOLD
    brief = len(question.subject) <= BRIEF_TERMS
    return model.probability(features) >= (LENIENT_THRESHOLD if brief else model.threshold)


@dataclass(frozen=True, slots=True)
class _Best:
    """The sentence that would be answered with: `headed` with its title and headings and what
    its "it" stands for, `around` with its neighbours too; `source` and `elsewhere` are the
    terms of its passage and of the others.
    """

    strip: Strip
    headed: str
    around: str
    held: frozenset[str]
    source: frozenset[str]
    elsewhere: frozenset[str]


def answerable_features(
    question: Question,
    measured: Sequence[Measured],
    best: int,
    about: Sequence[str],
    weights: Mapping[str, float],
    embedder: Embedder,
) -> dict[str, float]:
    """Of the strip `best`; `about` is what each source's sentences leave unsaid."""
    said = _said(measured, best, about)
    asked, held = question.subject, said.held
    in_source = [term for term in asked if term not in held and term in said.source]
    elsewhere = [term for term in asked if term not in said.source and term in said.elsewhere]
    nameless = [term for term in asked if term in question.names and term not in held]
    longest, matched = _common(asked, said.strip.terms), len(set(asked) & set(said.strip.terms))
    return {
        "cosine": _cosine(question, said, embedder),
        # Below this many words, length says nothing.
        "words": math.log1p(max(SHORT, len(_WORD.findall(question.text)))),
        "covered": float(held.issuperset(asked)),
        # Said in the passage, but of something else.
        "rarest_in_source": max((weights[term] for term in in_source), default=0.0) / 8,
        # A question that bridges two passages has words of both.
        "elsewhere": len(elsewhere) / 3,
        "name_missing": max((weights[term] for term in nameless), default=0.0) / 8,
        "number_missing": float(any(number not in held for number in question.numbers)),
        "order_kept": longest / matched if matched else 1.0,
        **_counterparts(question, said, embedder),
        **mismatches(question, said.headed),
    }


def _said(measured: Sequence[Measured], best: int, about: Sequence[str]) -> _Best:
    strips = [item.strip for item in measured]
    strip = strips[best]
    headed = " ".join(
        [
            strip.text,
            about[strip.source],
            *(
                strips[j].text
                for j in dict.fromkeys([*unsaid(strips, best), *leans_on(strips, best)])
            ),
        ]
    )
    beside = [strips[j].text for j in (best - 1, best + 1) if same_source(strips, best, j)]
    source, elsewhere = set(terms(about[strip.source])), set[str]()
    for other in strips:
        (source if other.source == strip.source else elsewhere).update(other.terms)
    for number, unsaid_there in enumerate(about):
        if number != strip.source:
            elsewhere.update(terms(unsaid_there))
    return _Best(
        strip,
        headed,
        " ".join([headed, *beside]),
        frozenset(terms(headed)),
        frozenset(source),
        frozenset(elsewhere),
    )


def _cosine(question: Question, said: _Best, embedder: Embedder) -> float:
    """Of the question and the sentence, with what stands around it or without."""
    # What a follow-up is about stands behind it in brackets.
    asked = _TOPIC.sub("", question.text)
    vectors = embedder.embed_documents([asked, said.strip.text, said.headed, said.around])
    return min(ALIKE, max(UNLIKE, float((vectors[1:] @ vectors[0]).max())))


def _counterparts(question: Question, said: _Best, embedder: Embedder) -> dict[str, float]:
    """Of the question's words: the share that has a like in the sentence and its neighbours, and
    how many have none in the sentence, nor in what it leaves unsaid.
    """
    wanted = set(question.subject)
    asked = [word for word in _words(question.text) if not wanted.isdisjoint(terms(word))]
    around, own = _words(said.around), set(_words(said.headed))
    if not asked or not around:
        return {"counterparts": 0.0, "unmatched": float(min(len(asked), MOST_UNMATCHED))}
    vectors = embedder.embed_documents([*asked, *around])
    likeness = vectors[: len(asked)] @ vectors[len(asked) :].T
    for i, word in enumerate(asked):
        for j, other in enumerate(around):
            if _same(word, other):
                likeness[i, j] = 1.0
    alike = likeness >= COUNTERPART
    said_there = alike[:, [word in own for word in around]]
    return {
        "counterparts": float(alike.any(axis=1).mean()),
        "unmatched": float(min(len(asked) - said_there.any(axis=1).sum(), MOST_UNMATCHED)),
    }


def _same(word: str, other: str) -> bool:
    return word == other or (len(word) >= STEM and word[:STEM] == other[:STEM])


def _words(text: str) -> list[str]:
    return [word for word in dict.fromkeys(_WORD.findall(text.lower())) if terms(word)]


def _common(asked: Sequence[str], said: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    table = [0] * (len(said) + 1)
    for term in asked:
        diagonal = 0
        for j, other in enumerate(said, start=1):
            longest = diagonal + 1 if term == other else max(table[j], table[j - 1])
            diagonal, table[j] = table[j], longest
    return table[-1]
