"""Signs that a sentence speaks of something else than the question, though it shares its words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from rag.answering.opposites import opposed
from rag.answering.question import Question, negations
from rag.index.terms import terms

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_DENIAL = re.compile(
    r"\b(?:not|no|never|without|cannot|neither|nor|un\w+able)\b|n['’]t\b", re.IGNORECASE
)
_COUNTED = frozenset(
    """one two three four five six seven eight nine ten eleven twelve hundred thousand million
    billion half third first second fourth fifth sixth last monday tuesday wednesday thursday
    friday saturday sunday january february march april may june july august september october
    november december""".split()  # noqa: SIM905
)
_DEGREE = frozenset(
    """first last only most least best worst largest smallest biggest highest lowest oldest newest
    main primary major minor all every always never more less fewer longer shorter greater smaller
    higher lower earliest latest original sole majority minority entire any none both instead
    without other""".split()  # noqa: SIM905
)


def mismatches(
    question: Question, sentence: str, sentence_terms: Sequence[str], weights: Mapping[str, float]
) -> dict[str, float]:
    """Each sign as a number, 0 where it is absent."""
    asked = [word.lower() for word in _WORD.findall(question.text)]
    said = {word.lower() for word in _WORD.findall(sentence)}
    held = set(sentence_terms)
    counted = [word for word in asked if word in _COUNTED or word[0].isdigit()]
    degrees = [word for word in asked if word in _DEGREE]
    return {
        "opposite": float(opposed(asked, said)),
        "count_missing": float(any(word not in said for word in counted)),
        "degree_missing": float(any(word not in said for word in degrees)),
        "denied": float(not question.negated and _denies(sentence, question)),
        "denial_missing": float(question.negated and not negations(sentence)),
        **_neighbours(question, sentence_terms, held, weights),
    }


def _denies(sentence: str, question: Question) -> bool:
    asked = set(question.terms)
    return any(
        asked & set(terms(sentence[match.end() : match.end() + 40]))
        for match in _DENIAL.finditer(sentence)
    )


def _neighbours(
    question: Question, said: Sequence[str], held: set[str], weights: Mapping[str, float]
) -> dict[str, float]:
    """A word put between two that stand together in the sentence, or before one of them."""
    pairs = set(itertools.pairwise(said))
    asked = question.terms
    inserted = replaced = 0.0
    for i, term in enumerate(asked):
        if term in held:
            continue
        left = asked[i - 1] if i else None
        right = asked[i + 1] if i + 1 < len(asked) else None
        if left in held and right in held and (left, right) in pairs:
            inserted = max(inserted, weights[term])
        if right in held:
            replaced = max(replaced, weights[term])
    joined = [pair for pair in itertools.pairwise(asked) if held.issuperset(pair)]
    broken = sum(pair not in pairs for pair in joined) / len(joined) if joined else 0.5
    return {"inserted": inserted / 8, "replaced": replaced / 8, "broken_pairs": broken}
