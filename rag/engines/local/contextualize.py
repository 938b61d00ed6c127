"""A follow-up becomes a question that stands alone, by rules; a new topic is left untouched.

What the conversation is about is carried over as a few words behind the question: they are
found by how much they say (inverse document frequency), how recently they were asked about,
and whether the answers took them up.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

from rag.engines.local.followup import leaning, topical
from rag.engines.protocol import Contextualized
from rag.index.terms import term_spans, terms
from state.passages import HistoryTurn

CARRIED = 3
"""Terms at most: more of the old topic would drown the new question."""
NEAR_THE_BEST = 0.4
"""Of the best term's score, what another must have to be carried too."""
DECAY = 0.7
"""What a question is worth against the one after it."""
INHERITED = 0.6
"""What a word carried into a question is worth against one that was typed."""
ANSWER = 0.3
"""What the last answer's words are worth against the last question's."""
LOOK_BACK = 10
ANSWER_CHARACTERS = 8_000


class Frequencies(Protocol):
    """What is needed of a collection: `rag.index.protocol.CollectionReader` has it."""

    @property
    def chunk_count(self) -> int: ...

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]: ...


def contextualize(
    question: str, history: Sequence[HistoryTurn], collection: Frequencies | None = None
) -> Contextualized:
    """`history` is oldest first. Without a collection every word counts as rare."""
    if not history:
        return Contextualized(question)
    turns = list(history[-LOOK_BACK:])
    own = topical(terms(question))
    asked = [
        (set(terms(turn["question"])), topical(terms(turn["standalone_question"])))
        for turn in turns
    ]
    answered = Counter(terms(turns[-1]["answer"][:ANSWER_CHARACTERS]))
    wanted = {*own, *answered, *(term for _, found in asked for term in found)}
    weights = _weights(sorted(wanted), collection)
    # A word that no document has may well be the new topic: it counts as rare, in the question.
    why = leaning(question, {term: weights.get(term) or 1.0 for term in own})
    if why is None:
        return Contextualized(question)
    carried = _carried(set(own), asked, answered, weights)
    if not carried:
        return Contextualized(question)
    words = ", ".join(_phrases(carried, turns))
    return Contextualized(
        f"{question.rstrip()} ({words})", reason=f"carried over for {why.value}: {words}"
    )


def _weights(wanted: Sequence[str], collection: Frequencies | None) -> dict[str, float]:
    """0 to 1 by inverse document frequency; 0 for a term that no chunk has."""
    if collection is None:
        return dict.fromkeys(wanted, 1.0)
    chunks = collection.chunk_count
    rarest = math.log((chunks + 1) / 1.5)
    found = collection.document_frequencies(wanted)
    return {
        term: max(0.0, math.log((chunks + 1) / (found[term] + 0.5)) / rarest)
        if found.get(term) and rarest > 0
        else 0.0
        for term in wanted
    }


def _carried(
    own: set[str],
    asked: Sequence[tuple[set[str], list[str]]],
    answered: Mapping[str, int],
    weights: Mapping[str, float],
) -> list[str]:
    """The terms that name what the conversation is about, best first."""
    interest: dict[str, float] = {}
    for back, (typed, understood) in enumerate(reversed(asked)):
        for term in understood:
            worth = 1.0 if term in typed else INHERITED
            interest[term] = interest.get(term, 0.0) + worth * DECAY**back
    scores: dict[str, float] = {}
    for term in topical([*interest, *answered]):
        taken_up = 1 - math.exp(-answered.get(term, 0) / 2)
        interesting = interest.get(term, 0.0) * (1 + taken_up) + ANSWER * taken_up
        if term not in own:
            scores[term] = weights.get(term, 0.0) * interesting
    best = sorted((term for term in scores if scores[term] > 0), key=lambda t: (-scores[t], t))
    return [term for term in best[:CARRIED] if scores[term] >= NEAR_THE_BEST * scores[best[0]]]


def _phrases(carried: Sequence[str], turns: Sequence[HistoryTurn]) -> list[str]:
    """The carried terms as they were written: neighbours together, capitals where seen."""
    texts = [turn["standalone_question"] for turn in reversed(turns)]
    texts.append(turns[-1]["answer"][:ANSWER_CHARACTERS])
    runs = [run for text in texts for run in _runs(text, set(carried))]
    phrases: list[str] = []
    said: set[str] = set()
    for term in carried:
        if term in said:
            continue
        fitting = [run for run in runs if term in run[1]]
        surface, held = max(
            fitting,
            key=lambda run: (len(run[1] - said), -len(run[0].split()), run[0] != run[0].lower()),
        )
        phrases.append(surface)
        said |= held
    return phrases


def _runs(text: str, carried: set[str]) -> list[tuple[str, frozenset[str]]]:
    """Stretches of `text` made of carried terms only, with the terms they hold."""
    runs: list[tuple[str, frozenset[str]]] = []
    start = end = -1
    held: set[str] = set()
    for left, right, found in term_spans(text):
        now = carried.intersection(found)
        if held and (not now or text[end:left].strip()):
            runs.append((text[start:end], frozenset(held)))
            held = set()
        if now:
            start = start if held else left
            end = right
            held |= now
    if held:
        runs.append((text[start:end], frozenset(held)))
    return runs
