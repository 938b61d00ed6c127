"""A question as the local engine weighs it: its terms, how rare each is, how each was spelt."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from rag.engines.local.mending import mend_spelling
from rag.engines.local.scaffolding import scaffolding
from rag.index.protocol import CollectionReader
from rag.index.terms import fold, term_spans

# What follows is pasted text, which a question is not weighed by.
QUESTION_CHARACTERS = 4000
QUESTION_TERMS = 64
SCAFFOLD_SHARE = 0.3
"""Of a term's weight, where it only shapes the question."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`weights` are the inverse document frequencies in the collection, one for each of
    `terms` (unique, in order); `spelt` is the word as typed, folded; `counts` the document
    frequencies. The terms of `scaffold` shape the question ("how many"), and weigh little.
    """

    text: str
    terms: tuple[str, ...]
    weights: Mapping[str, float]
    counts: Mapping[str, int]
    spelt: Mapping[str, str]
    scaffold: frozenset[str]

    @property
    def matter(self) -> tuple[str, ...]:
        """The terms that say what is asked about."""
        return tuple(term for term in self.terms if term not in self.scaffold)

    @property
    def mass(self) -> float:
        return sum(self.weights.values())

    def covered(self, held: frozenset[str] | set[str]) -> float:
        """The share of the question's weight that is held, 0 to 1."""
        mass = self.mass
        if mass <= 0:
            return 0.0
        return sum(weight for term, weight in self.weights.items() if term in held) / mass


def read_question(text: str, collection: CollectionReader) -> Asked:
    """The question's first QUESTION_TERMS terms, weighed by the collection (BM25's IDF).

    Misspelt words count as the words they stand for: what answers the question as it was
    meant is relevant.
    """
    text = mend_spelling(text[:QUESTION_CHARACTERS], collection).text
    spelt: dict[str, str] = {}
    for start, end, found in term_spans(text):
        for term in found:
            if len(spelt) < QUESTION_TERMS:
                spelt.setdefault(term, fold(text[start:end]) if len(found) == 1 else term)
    total = max(collection.chunk_count, 1)
    frequencies = collection.document_frequencies(list(spelt))
    counts = {term: min(frequencies.get(term, 0), total) for term in spelt}
    scaffold = scaffolding() & spelt.keys()
    if len(scaffold) == len(spelt):
        scaffold = frozenset()
    weights = {
        term: rarity(count, total) * (SCAFFOLD_SHARE if term in scaffold else 1.0)
        for term, count in counts.items()
    }
    return Asked(text, tuple(spelt), weights, counts, spelt, scaffold)


def rarity(count: int, total: int) -> float:
    """BM25's inverse document frequency of a term that `count` of `total` chunks hold."""
    count = min(count, total)
    return math.log(1 + (total - count + 0.5) / (count + 0.5))
