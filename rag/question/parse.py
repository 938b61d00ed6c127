"""A question read once: spelt as the collection spells it, its terms, what each of them weighs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from rag.index.ranking import term_weights
from rag.index.reader import CollectionReader
from rag.index.terms import fold, term_spans
from rag.question.specificity import capitalized, specificities
from rag.question.spelling import mend_spelling
from state.passages import ParsedQuestion

# What follows is pasted text, which a question is not weighed by.
QUESTION_CHARACTERS = 4000
QUESTION_TERMS = 64
FEW_CHUNKS = 50
"""A word of a single page is not common for standing in all there is: it is as rare as among so
many pages.
"""
SPECIFIC = 0.7
"""The specificity from which a word names something that a passage can lack."""


def specific_terms(question: ParsedQuestion) -> Sequence[str]:
    """The terms that name what is asked about; all of them where none says more than others."""
    says = question["specificity"]
    return [term for term in question["terms"] if says[term] >= SPECIFIC] or question["terms"]


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
    return {
        "text": mended,
        "changes": changes,
        "terms": list(spelt),
        "weights": weights,
        "rarities": rarities,
        "spelt": spelt,
        "specificity": specificity,
    }


def share(weights: Mapping[str, float], held: Collection[str]) -> float:
    """The share of the weights of those terms that are held, 0 to 1."""
    mass = sum(weights.values())
    if mass <= 0:
        return 0.0
    return sum(weight for term, weight in weights.items() if term in held) / mass


def with_context(question: str, context: str) -> str:
    """What a question is about stands behind it in brackets, where it does not say so itself."""
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
