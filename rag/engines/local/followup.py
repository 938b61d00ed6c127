"""Does a question lean on the conversation, or does it stand alone?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from rag.index.terms import terms

GLANCE = 400
"""Characters at each end in which openings and pronouns are looked for."""

# Sums of term weights, where 1 is the weight of a term that one chunk alone holds. Chosen on
# the set of tests/benchmarks/followups.py, whose figures hardly move around these values.
BARE = 0.9
"""Below this a fragment ("Celts", "any awards?") says too little to be searched for alone."""
BARE_SENTENCE = 0.6
"""The same for a whole question ("How are they made?")."""
SPECIFIC = 2.75
"""From here on a pronoun does not make a question depend on what was said before."""
SPECIFIC_ELLIPSIS = 2.2
"""From here on neither does an opening such as "and" or "what about"."""
ANTECEDENT = 1.2
"""A pronoun after words that weigh this much most likely means them."""
NEAR_ANTECEDENT = 0.3
"""The same where a new clause begins before the pronoun, or where it is a possessive."""

_PRONOUN = re.compile(
    r"\b(?:it|its|itself|they|them|their|theirs|he|him|his|she|her|hers|these|those|this"
    r"|(?:is|are|was|were|does|do|did|has|have|of|about|like|for|than|after|before|since|with)"
    r"\s+that|that(?=\W*$)|there(?=\W*$)|(?<!\w\s)that(?=\s+(?:is|was|one|time)\b)|the\s+same"
    r"|the\s+(?:former|latter|other|others)|ones?(?=\W*$))\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:when|while|after|before|because|since|if|as|and|but|or|where|which|how|what|why|then)\b"
    r"[^,;.?!]{0,24}$",
    re.IGNORECASE,
)
_IDLE_IT = re.compile(
    r"\bit(?=(?:\s+(?:is|was|be|been|does|will|would|takes?))?(?:\s+\w+ly)?\s+(?:rain|snow|possible|true|safe"
    r"|legal|necessary|important|okay|ok|worth|illegal|better|likely|(?:take|cost)s?)\b)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\W*(?:(?:so|ok|okay|well|but|hmm|no|yes|right|thanks|thank you|sorry|please)\b[\s,.!]*)*"
    r"(?:(?:and|or|also)\b|(?:what|how)\s+about\b|what\s+if\b|how\s+(?:so|come)\b|why\W*$|why\s+not\b"
    r"|(?:tell|give|show)\s+me\s+more\b|(?:can|could)\s+you\s+(?:explain|elaborate|clarify)\b"
    r"|(?:more|any|other|another|else|such\s+as|i\s+mean|i\s+meant|for\s+example|really)\b"
    r"|(?:what|who|where|when|anything|anyone)\s+else\b|go\s+on\b|continue\b|explain\b|elaborate\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"\W*(?:who|whom|whose|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could"
    r"|will|would|should|has|have|had|may|might|list|name|define|describe|explain|compare)\b",
    re.IGNORECASE,
)
# Words of asking, and words so wide that they name no topic.
VAGUE = frozenset(
    " ".join(
        terms(
            "tell say said give know explain talk speak mean ask question answer inform information"
            " detail details example thing people kind type way different difference main many much"
            " call called name make does get go come use used work happen happened like want think"
            " look time first last day place part please thanks sorry exactly reason really else"
        )
    ).split()
)


class Leaning(StrEnum):
    """Why a question does not stand alone."""

    PRONOUN = "a pronoun"
    OPENING = "its opening"
    BARE = "too few words of its own"


def leaning(question: str, weights: Mapping[str, float]) -> Leaning | None:
    """Why `question` leans on earlier turns, or None where it stands alone.

    `weights` has the weight of each of the question's terms, 0 to 1.
    """
    own = _mass(question, weights)
    start = question[:GLANCE]
    if _OPENING.match(start) and own < SPECIFIC_ELLIPSIS:
        return Leaning.OPENING
    if own < SPECIFIC and _refers_back(start, weights):
        return Leaning.PRONOUN
    if own < (BARE_SENTENCE if _SENTENCE.match(start) else BARE):
        return Leaning.BARE
    return None


def topical(found: Sequence[str]) -> list[str]:
    """The terms that can name a topic, each once."""
    return [term for term in dict.fromkeys(found) if term not in VAGUE]


def _mass(text: str, weights: Mapping[str, float]) -> float:
    return sum(weights.get(term, 0.0) for term in topical(terms(text)))


def _refers_back(text: str, weights: Mapping[str, float]) -> bool:
    """Whether a pronoun has nothing before it in the question that it could stand for."""
    idle = {match.start() for match in _IDLE_IT.finditer(text)}
    for match in _PRONOUN.finditer(text):
        if match.start() in idle:
            continue
        before = text[: match.start()]
        near = _CLAUSE.search(before) or match.group().lower() in ("his", "her", "its", "their")
        return _mass(before, weights) < (NEAR_ANTECEDENT if near else ANTECEDENT)
    return False
