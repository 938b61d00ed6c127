"""Signs that a sentence speaks of something else than the question, though it shares its words."""

from __future__ import annotations

import re

from rag.answering.opposites import opposed
from rag.answering.question import Question, negations

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_COUNTED = frozenset(
    """two three four five six seven eight nine ten eleven twelve hundred thousand million
    billion half third first second fourth fifth sixth last monday tuesday wednesday thursday
    friday saturday sunday january february march april may june july august september october
    november december""".split()  # noqa: SIM905
)


def mismatches(question: Question, said: str) -> dict[str, float]:
    """Each sign as 1 where it is there; `said` is the sentence with its title and headings."""
    asked = [word.lower() for word in _WORD.findall(question.text)]
    held = {word.lower() for word in _WORD.findall(said)}
    # The first word counts nothing: "May visitors ...".
    counted = [word for word in asked[1:] if word in _COUNTED or word[0].isdigit()]
    return {
        "opposite": float(opposed(asked, held)),
        "count_missing": float(any(word not in held for word in counted)),
        "denial_missing": float(question.negated and not negations(said)),
    }
