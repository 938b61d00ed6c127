"""Signs that a sentence speaks of something else than the question, though it shares its words."""

from __future__ import annotations

from rag.answering.opposites import opposed, words
from rag.answering.question import Question, negations


def mismatches(question: Question, said: str) -> dict[str, float]:
    """Each sign as 1 where it is there; `said` is the sentence with its title and headings."""
    return {
        "opposite": float(opposed(words(question.matter), words(said))),
        "denial_missing": float(question.negated and not negations(said)),
    }
