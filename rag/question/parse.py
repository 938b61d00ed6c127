"""Parses a question, once: its spelling mended by the collection, its terms and their weights."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from rag.index.ranking import rarity
from rag.index.reader import CollectionReader
from rag.index.terms import fold, term_spans
from rag.question.specificity import specificity
from rag.question.spelling import mend_spelling
from state.passages import ParsedQuestion

# What is longer is pasted text, of which only the beginning counts.
QUESTION_CHARACTERS = 4000
QUESTION_TERMS = 64
ASKS = "who|whom|whose|what|which|when|where|why|how"
VERBS = "am|are|can|could|did|do|does|had|has|have|is|may|must|should|was|were|will|would"
"""Words, as a pattern, that a question begins with."""
FEW_CHUNKS = 50
"""A collection counts as at least so many chunks: a word of its only page is not a common word."""
SPECIFIC = 0.7
"""From this specificity on a word names something that a passage can lack."""


def specific_terms(question: ParsedQuestion) -> Sequence[str]:
    """The terms that name what is asked about; all terms where none is specific."""
    says = question["specificity"]
    return [term for term in question["terms"] if says[term] >= SPECIFIC] or question["terms"]


def parse_question(text: str, collection: CollectionReader) -> ParsedQuestion:
    """The question with its first QUESTION_TERMS terms, weighted by the collection.

    Misspelt words count as the words that they stand for: what answers the question as it was
    meant is relevant.
    """
    mended = mend_spelling(text[:QUESTION_CHARACTERS], collection)
    spelt: dict[str, str] = {}
    for start, end, found in term_spans(mended):
        for term in found:
            if len(spelt) < QUESTION_TERMS:
                spelt.setdefault(term, fold(mended[start:end]) if len(found) == 1 else term)
    total = max(collection.chunk_count, FEW_CHUNKS)
    frequencies = collection.document_frequencies(list(spelt))
    counts = {term: min(frequencies.get(term, 0), total) for term in spelt}
    says = {term: specificity(word) for term, word in spelt.items()}
    weights = {term: rarity(counts[term], total) * says[term] ** 2 for term in spelt}
    return {
        "text": mended,
        "terms": list(spelt),
        "weights": weights,
        "spelt": spelt,
        "specificity": says,
    }


def share(weights: Mapping[str, float], held: Collection[str]) -> float:
    """The share of all weights, 0 to 1, that belongs to terms in `held`."""
    mass = sum(weights.values())
    if mass <= 0:
        return 0.0
    return sum(weight for term, weight in weights.items() if term in held) / mass


def with_context(question: str, context: str) -> str:
    """The question with its context in brackets behind it; unchanged without one."""
    return f"{question.rstrip()} ({context})" if context else question


def split_context(question: str) -> tuple[str, str]:
    """The question and the context in brackets behind it, which is empty where it has none."""
    if not question.endswith(")"):
        return question, ""
    depth, place = 0, question.rfind(" (")  # the last one where brackets do not match
    for bracket in reversed([*re.finditer(r"[()]", question)]):
        depth += 1 if bracket[0] == ")" else -1
        if depth == 0:
            place = bracket.start() - 1
            break
    if not question.startswith(" (", place):
        return question, ""
    return question[:place], question[place + 2 : -1]
