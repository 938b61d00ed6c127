"""A claim against the evidence, by code: proved, contradicted, or neither.

To prove takes much, since readers trust it: every telling word, name and quantity of the claim in
one sentence of a source, each quantity beside what it measures, the same denials and relations. To
contradict takes one sentence that says all of it but one thing. What is between stays open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.citations.binding import misplaced, ordered, together
from rag.citations.contradiction import contradiction, share
from rag.citations.evidence import Evidence, plain_words
from rag.citations.polarity import same_denials, same_relations
from rag.citations.statement import Statement, held, parts, statement
from rag.question.specificity import specificities
from state.answer import ClaimVerdict, Support

_YES = re.compile(r"\W*yes\b\W*", re.IGNORECASE)
_LEAST = 2
"""Words, names and quantities of what can be proved."""
_TELLING = 0.7
"""A word of less ("use", "need", "option") may be missing from the source. Chosen on 160 sentences
of a small model: of 101 true ones 13 more are proved so, of 59 others one more.
"""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`rests` are the sentences that prove or contradict the claim, or the nearest one."""

    verdict: ClaimVerdict
    support: Support
    reason: str
    rests: tuple[Evidence, ...]


def judge(
    text: str,
    evidence: Sequence[Evidence],
    named: Sequence[Evidence],
) -> Judgement:
    """`evidence` in the order in which it is to be preferred; `named` is what may contradict it."""
    affirms = _YES.match(text)
    claim = statement(text[affirms.end() :] if affirms else text)
    said = plain_words(text)
    for item in evidence:
        if said.strip() and said in item.plain_words and same_denials(claim, item.said):
            return Judgement("verified", "verbatim", "a source says it word for word", (item,))
    # To what a "yes" is said may stand there as a question, or as what is not so.
    proof = None if affirms else _proof(claim, evidence)
    if proof is not None:
        return proof
    against = contradiction(claim, named, evidence)
    if against is not None:
        return Judgement("contradicted", "unsupported", against[0], (against[1],))
    nearest = max(evidence, key=lambda item: share(claim.said, item), default=None)
    rests = () if nearest is None or not share(claim.said, nearest) else (nearest,)
    return Judgement("unverified", "unsupported", "no source says it in these words", rests)


def _proof(claim: Statement, evidence: Sequence[Evidence]) -> Judgement | None:
    """The sentence that says it, or those that say each of its clauses: a clause alone may be taken
    out of what its sentence says of another thing.
    """
    for item in evidence:
        if proves(claim, item):
            return Judgement("verified", "supported", "a source says it", (item,))
    clauses = parts(claim)
    proofs = [next((e for e in evidence if proves(c, e)), None) for c in clauses]
    found = tuple(dict.fromkeys(proof for proof in proofs if proof is not None))
    if len(found) > 1 and None not in proofs:
        return Judgement("verified", "supported", "sources say each part of it", found)
    return None


def judge_code(text: str, evidence: Sequence[Evidence]) -> Judgement:
    """A block of code stands in a source line for line, or is not proved."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    there = [" ".join(item.quote.split()) for item in evidence]
    for place in range(len(there) - len(lines) + 1):
        if lines and there[place : place + len(lines)] == lines:
            first, last = evidence[place], evidence[place + len(lines) - 1]
            if first.origin is last.origin:
                rests = (first.until(last),)
                return Judgement("verified", "verbatim", "a source has it line for line", rests)
    known = [item for item, line in zip(evidence, there, strict=True) if line in lines]
    reason = "no source has all of its lines"
    return Judgement("unverified", "unsupported", reason, tuple(known[:1]))


def proves(claim: Statement, item: Evidence) -> bool:
    """Whether the sentence says all that the claim says."""
    return (
        len(claim.said) + len(claim.counted) >= _LEAST
        and item.key <= claim.words
        and all(any(said.equals(q) for q in item.quantities) for said in claim.quantities)
        and _holds_words(claim, item)
        and not misplaced(claim, item.said)
        and (bool(item.key) or (together(claim, item.said) and ordered(claim, item.said)))
        and same_denials(claim, item.said)
        and same_relations(claim, item.said)
    )


def _holds_words(claim: Statement, item: Evidence) -> bool:
    """All words that tell; half of all in the sentence itself."""
    if 2 * sum(held(token, item.said.stems) for token in claim.said) < len(claim.said):
        return False
    missing = [token for token in claim.said if not held(token, item.stems)]
    unsaid = specificities([claim.text_of(token) for token in missing])
    return max(unsaid, default=0) < _TELLING
