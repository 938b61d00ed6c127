"""Whether a claim denies what its source denies, and stands on the same side of what it names."""

from __future__ import annotations

from rag.citations.statement import Kind, Statement, Token, alike, anchor


def same_denials(claim: Statement, said: Statement) -> bool:
    """Clause by clause: one of the claim with a denial, those of the source that hold its words
    with one, and neither without.
    """
    return all(
        _denies(claim, {number}) == _denies(said, _clauses_of(claim.clause(number), said))
        for number in {token.clause for token in claim.said}
    )


def same_relations(claim: Statement, said: Statement) -> bool:
    """Each "before", "above", "only" of the claim stands before the same word in the source, and
    each of the source that stands before a word of the claim is in the claim.
    """
    ours, theirs = relations(claim), relations(said)
    return all(any(_same(one, other) for other in theirs) for one in ours) and all(
        any(_same(one, other) for one in ours)
        for other in theirs
        if any(alike(other[1], token) for token in claim.tokens)
    )


def relations(said: Statement) -> list[tuple[str, Token]]:
    found = []
    for place, token in enumerate(said.tokens):
        if token.kind is Kind.RELATION and (to := anchor(said, place)) is not None:
            found.append((token.stems[0], to))
    return found


def _same(one: tuple[str, Token], other: tuple[str, Token]) -> bool:
    return one[0] == other[0] and alike(one[1], other[1])


def _denies(said: Statement, clauses: set[int]) -> bool:
    return any(t.kind is Kind.DENIAL and t.clause in clauses for t in said.tokens)


def _clauses_of(tokens: tuple[Token, ...], said: Statement) -> set[int]:
    """The clauses that hold one of the words which stand in one clause only, or else any."""
    found: set[int] = set()
    shared: set[int] = set()
    for token in tokens:
        if token.kind is Kind.DENIAL or token.kind is Kind.GLUE:
            continue
        places = {other.clause for other in said.tokens if alike(token, other)}
        shared |= places
        if len(places) == 1:
            found |= places
    return found or shared
