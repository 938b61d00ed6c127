"""Whether a claim denies what its source denies, and sets things on the same side."""

from __future__ import annotations

from rag.citations.statement import Kind, Statement, alike


def same_denials(claim: Statement, said: Statement) -> bool:
    """Clause by clause: one of the claim with a denial, those of the source that hold its words
    with one, and neither without.
    """
    return all(
        _denies(claim, {number}) == _denies(said, _holding(claim, number, said))
        for number in {token.clause for token in claim.said}
    )


def same_relations(claim: Statement, said: Statement) -> bool:
    """Whether one has each "before", "above", "only" that the other has."""
    return claim.relations == said.relations


def _denies(said: Statement, clauses: set[int]) -> bool:
    return any(t.kind is Kind.DENIAL and t.clause in clauses for t in said.tokens)


def _holding(claim: Statement, number: int, said: Statement) -> set[int]:
    """The clauses that hold a word of that one of the claim which stands in no other, or else any
    of its words.
    """
    words = [token for token in claim.content if token.clause == number]
    held = [{t.clause for t in said.content if alike(word, t)} for word in words]
    alone = [places for places in held if len(places) == 1]
    return set().union(*(alone or held))
