"""A question read once: spelt as the collection spells it, its terms, what each of them weighs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rag.index.ranking import term_weights
from rag.index.reader import CollectionReader
from rag.index.terms import fold, term_spans
from rag.question.specificity import capitalized, specificities
from rag.question.spelling import mend_spelling

# What follows is pasted text, which a question is not weighed by.
QUESTION_CHARACTERS = 4000
QUESTION_TERMS = 64
FEW_CHUNKS = 50
"""A word of a single page is not common for standing in all there is: it is as rare as among so
many pages.
"""
SPECIFIC = 0.7
"""The specificity from which a word names something that a passage can lack."""


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """`text` as the collection spells it; `changes` what was mended for that. `terms` are unique,
    in order; `spelt` each as it was typed, folded; `specificity` how much its word says in any
    text, 0 to about 1.25, of one with a capital at least 1; `rarities` their inverse document
    frequencies here. `weights` are both: rarity times the square of specificity, so that "turn" and
    "many" are worth little in a collection that happens to hold few of them.
    """

    text: str
    changes: Sequence[tuple[str, str]]
    terms: tuple[str, ...]
    weights: Mapping[str, float]
    rarities: Mapping[str, float]
    spelt: Mapping[str, str]
    specificity: Mapping[str, float]

    def as_state(self) -> dict[str, Any]:
        """As JSON, for the graph's state."""
        return asdict(self)

    @classmethod
    def of_state(cls, kept: Mapping[str, Any]) -> ParsedQuestion:
        return cls(**{**kept, "terms": tuple(kept["terms"])})

    @property
    def specific(self) -> tuple[str, ...]:
        """The terms that name what is asked about; all of them where none says more than others."""
        named = tuple(term for term in self.terms if self.specificity[term] >= SPECIFIC)
        return named or self.terms

    def covered(self, held: Collection[str]) -> float:
        """The share of the question's weight that is held, 0 to 1."""
        return share(self.weights, held)


def parse_question(text: str, collection: CollectionReader) -> ParsedQuestion:
    """The question's first QUESTION_TERMS terms, weighed by the collection.

    Misspelt words count as the words they stand for: what answers the question as it was
    meant is relevant.
    """
    mended, changes = mend_spelling(text[:QUESTION_CHARACTERS], collection)
    spelt: dict[str, str] = {}
    for start, end, found in term_spans(mended):
        for term in found:
            if len(spelt) < QUESTION_TERMS:
                spelt.setdefault(term, fold(mended[start:end]) if len(found) == 1 else term)
    total = max(collection.chunk_count, FEW_CHUNKS)
    frequencies = collection.document_frequencies(list(spelt))
    counts = {term: min(frequencies.get(term, 0), total) for term in spelt}
    specificity = dict(zip(spelt, specificities(list(spelt.values())), strict=True))
    specificity |= {term: max(specificity[term], 1.0) for term in capitalized(mended) & {*spelt}}
    rarities = term_weights(counts, total)
    weights = {term: rarities[term] * specificity[term] ** 2 for term in spelt}
    return ParsedQuestion(mended, changes, tuple(spelt), weights, rarities, spelt, specificity)


def share(weights: Mapping[str, float], held: Collection[str]) -> float:
    """The share of the weights of those terms that are held, 0 to 1."""
    mass = sum(weights.values())
    if mass <= 0:
        return 0.0
    return sum(weight for term, weight in weights.items() if term in held) / mass


def with_context(question: str, context: str) -> str:
    """What a question is about stands behind it in brackets, where it does not say so itself."""
    return f"{question.rstrip()} ({context})" if context else question


def parted(question: str) -> tuple[str, str]:
    """The question without its context, and that; empty where it has none."""
    place = question.rfind(" (") if question.endswith(")") else -1
    return (question, "") if place < 0 else (question[:place], question[place + 2 : -1])
