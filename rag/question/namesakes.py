"""Whether a question's name is that of several documents' different things, and which those are.

"When did Frozen begin?" of a film, a record and a house. The rarest word of the question that the
collection has is a name where it stands in titles. Three documents share it where their titles have
the same words of the question and others beside them, and what stands below has as much of the
question. A document that is called by the name alone is what is meant: nothing is asked. Neither
is it of headings: a section that three manuals have is told of all three.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from rag.index.protocol import CollectionReader
from rag.index.terms import terms
from rag.question.parts import POOL
from state.passages import RetrievedChunk

LOOKED_AT = 20
FEWEST = 3
"""Two documents about one thing would be taken for two things too often."""
MUCH = 2.5
"""A question that weighs more says what it means: 1 is the weight of a word that one chunk alone
holds.
"""
ABOUT_EQUAL = 0.6
"""Of the best chunk's score, what another must have."""


@dataclass(frozen=True, slots=True)
class _Called:
    """The best chunk of what is called `name`. `shared` are the words that its title has of the
    question, `covered` is the weight of all that it has; it is `plain` where the title
    has no others.
    """

    name: str
    shared: frozenset[str]
    covered: float
    score: float
    plain: bool

    @classmethod
    def of(cls, chunk: RetrievedChunk, weights: Mapping[str, float]) -> _Called:
        name = chunk["title"] or PurePath(chunk["source"]).stem
        title = set(terms(name))
        held = title.union(terms(chunk["text"])) & weights.keys()
        return cls(
            name,
            frozenset(title & weights.keys()),
            sum(weights[term] for term in held),
            chunk["score"],
            title <= weights.keys(),
        )


def namesakes(
    question: str, weights: Mapping[str, float], collection: CollectionReader
) -> list[str]:
    """The names of the documents, the likeliest first; empty where one thing alone has the name.
    `weights` of the question's terms, 0 of what no chunk has.
    """
    rarest = max(weights.values(), default=0.0)
    # A word that no document has may well be what is asked about.
    if 0.0 in weights.values() or not 0.0 < sum(weights.values()) <= MUCH:
        return []
    found = [_Called.of(chunk, weights) for chunk in collection.search(question, POOL)[:LOOKED_AT]]
    if not found or not any(weights[term] == rarest for term in found[0].shared):
        return []
    best = found[0]
    alike = {
        each.name: each
        for each in reversed(found)
        if each.shared == best.shared
        and each.covered >= best.covered
        and each.score >= ABOUT_EQUAL * best.score
    }
    if len(alike) < FEWEST or any(each.plain for each in alike.values()):
        return []
    return [each.name for each in sorted(alike.values(), key=lambda each: -each.score)]
