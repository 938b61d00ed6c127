"""What a source says otherwise: the same sentence with one quantity, name or denial changed.

Silence is no contradiction, and neither is another sentence about the same thing: there must be
one that says nearly all of the claim, and says that one thing differently.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from rag.citations.binding import misplaced
from rag.citations.evidence import Evidence
from rag.citations.polarity import same_denials, same_relations
from rag.citations.quantities import Quantity
from rag.citations.statement import Kind, Statement, Token, alike, held

SAYS_IT = 0.7
"""Share of a claim's words, the one in question left out, from which on a sentence speaks of the
same thing.
"""
SAYS_HALF = 0.5
_ALL = 0.999


def contradiction(
    claim: Statement,
    named: Sequence[Evidence],
    evidence: Sequence[Evidence],
) -> tuple[str, Evidence] | None:
    """In words, with the sentence of `named` that says otherwise; what stands anywhere in the
    evidence is not made up.
    """
    finders = (
        (
            (f"the source says {there}, not {here}", item)
            for here, there, item in other_quantities(claim, named, evidence)
        ),
        _misbound(claim, named),
        _name(claim, named, evidence),
        _denial(claim, named),
    )
    return next((found for finder in finders for found in finder), None)


def share(tokens: Sequence[Token], item: Evidence) -> float:
    """How many of these words the sentence holds, 0 to 1."""
    return sum(held(token, item.stems) for token in tokens) / max(len(tokens), 1)


Found = Iterator[tuple[str, Evidence]]


def other_quantities(
    claim: Statement, named: Sequence[Evidence], evidence: Sequence[Evidence]
) -> Iterator[tuple[str, str, Evidence]]:
    """Each quantity of the claim that none of the evidence has, with what a sentence of `named`
    has in its place, and that sentence.
    """
    for token in claim.counted:
        said = token.quantity
        if said is None or _compares(claim, token) or _known(claim, said, evidence):
            continue
        for item in named:
            like = [t for t in item.said.counted if t.quantity and t.quantity.kind == said.kind]
            # In a row a quantity of its kind needs no name, if there is no other one.
            least = SAYS_HALF if item.key and len(like) == 1 else SAYS_IT
            rivals = [t for t in like if not any(alike(t, other) for other in claim.counted)]
            if not rivals or not _of_row(claim, item) or share(claim.said, item) < least:
                continue
            if not _derived(said, (*item.quantities, *claim.quantities)):
                yield claim.text_of(token), item.said.text_of(rivals[0]), item


def _known(claim: Statement, said: Quantity, evidence: Sequence[Evidence]) -> bool:
    """Whether any sentence has the quantity; a bare number counts where its words stand too."""
    for item in evidence:
        equal = [q for q in item.quantities if said.equals(q)]
        if not equal or not _of_row(claim, item):
            continue
        measured = any(q.kind == said.kind for q in equal) and said.kind != "count"
        if measured or share(claim.said, item) >= SAYS_HALF:
            return True
    return False


def _compares(claim: Statement, token: Token) -> bool:
    """Whether the number is a bound or a difference: "more than 30", "18 more than"."""
    place = claim.tokens.index(token)
    return any(t.kind is Kind.RELATION for t in claim.tokens[max(0, place - 2) : place + 3])


def _derived(said: Quantity, there: Sequence[Quantity]) -> bool:
    """Whether it may be reckoned from two of these quantities."""
    values = {
        value
        for q in there
        if q is not said
        for value in (q.plain if q.date is None else (float(q.date[2] or 0),))
    }
    if said.dimension == "share":
        values.add(100.0)
    results = {
        round(result, 6)
        for a, b in itertools.permutations(values, 2)
        for result in (a + b, a - b, a * b, a / b if b else a, a * b / 100, a * (1 - b / 100))
    }
    return any(round(value, 6) in results for value in said.plain)


def _of_row(claim: Statement, item: Evidence) -> bool:
    return item.key <= claim.words


def _misbound(claim: Statement, evidence: Sequence[Evidence]) -> Found:
    """All of it is there, but the numbers belong to other things."""
    said = [t.quantity for t in claim.counted if t.quantity is not None]
    for item in evidence:
        if len(said) < 2 or not all(any(q.equals(p) for p in item.quantities) for q in said):
            continue
        if share(claim.said, item) >= SAYS_IT and misplaced(claim, item.said):
            yield "the source gives these numbers to other things", item


def _name(
    claim: Statement,
    named: Sequence[Evidence],
    evidence: Sequence[Evidence],
) -> Found:
    everywhere = frozenset(stem for item in evidence for stem in item.stems)
    unknown = [t for t in claim.names if everywhere.isdisjoint(t.stems)]
    rest = [t for t in claim.said if t not in unknown]
    for item in named:
        others = [t for t in item.said.names if not held(t, claim.stems)]
        if len(others) == len(unknown) > 0 and share(rest, item) >= SAYS_IT:
            there = item.said.text_of(others[0])
            yield f"the source says {there}, not {claim.text_of(unknown[0])}", item


def _denial(claim: Statement, evidence: Sequence[Evidence]) -> Found:
    for item in evidence:
        said = item.said
        if share(claim.said, item) < _ALL or same_denials(claim, said):
            continue
        if not same_relations(claim, said):
            continue
        clauses = {t.clause for t in said.said if held(t, claim.stems)}
        more = [t for t in said.said if t.clause in clauses and not held(t, claim.stems)]
        if len(more) <= 1 + len(claim.said) // 4:
            yield "the source says the opposite", item
