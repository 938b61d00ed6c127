"""Signs that a sentence speaks of something else than the question, though it shares its words."""

from __future__ import annotations

import re

from rag.answering.opposites import opposed
from rag.answering.question import Question, negations

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


def mismatches(question: Question, said: str) -> dict[str, float]:
    """Each sign as 1 where it is there; `said` is the sentence with its title and headings."""
    return {
        "opposite": float(opposed(_words(question.matter), _words(said))),
        "denial_missing": float(question.negated and not negations(said)),
    }


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
