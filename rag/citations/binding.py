"""Which words a quantity goes with: those of its clause that are nearer to no other one.

"31 m long and 164 m high" says other things than "31 m above the river and 164 m long", though
every number of it is there.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from rag.citations.statement import Statement, Token, alike

_NEAR = 2
"""Words and quantities from one to the next, at most, that stand together."""


def attributes(said: Statement, token: Token) -> frozenset[str]:
    """Stems of the words that go with it."""
    place = said.tokens.index(token)
    rivals = [
        i
        for i, other in enumerate(said.tokens)
        if other.clause == token.clause and _rivals(token, other)
    ]
    return frozenset(
        stem
        for i, word in enumerate(said.tokens)
        if word.clause == token.clause and word.quantity is None
        if all(abs(i - place) <= abs(i - rival) for rival in rivals)
        for stem in word.stems
    )


def bound(claim: Statement, said: Statement) -> bool:
    """Whether each quantity of the claim that the source has too goes with no word that goes with
    another one there.
    """
    return all(
        any(not theirs for _, theirs in shared) for shared in _shared_by_quantity(claim, said)
    )


def misplaced(claim: Statement, said: Statement) -> bool:
    """Whether one goes with words of another one there, and with none of its own."""
    return any(
        all(theirs and not own for own, theirs in shared)
        for shared in _shared_by_quantity(claim, said)
    )


def together(claim: Statement, said: Statement) -> bool:
    """Whether words that stand together in a clause of the claim do so, or are of one clause, in
    the source.
    """
    for (one, here), (other, there) in itertools.pairwise(_places(claim, said)):
        if one.clause == other.clause and not any(
            abs(a - b) <= _NEAR or said.content[a].clause == said.content[b].clause
            for a in here
            for b in there
        ):
            return False
    return True


def ordered(claim: Statement, said: Statement) -> bool:
    """Whether the words are in the order of the source, but for one stretch moved to the front:
    who takes two things for each other goes back twice, or from one number to the next.
    """
    last, back = -1, 0
    for token, places in _places(claim, said):
        if last not in places:
            ahead = [place for place in places if place > last]
            if not ahead:
                back += 2 if token.quantity and said.content[last].quantity else 1
            last = ahead[0] if ahead else places[0]
    return back <= 1


def _places(claim: Statement, said: Statement) -> list[tuple[Token, list[int]]]:
    """The words and quantities of the claim with where each stands among those of the source."""
    found = (
        (token, [i for i, other in enumerate(said.content) if alike(token, other)])
        for token in claim.content
    )
    return [(token, places) for token, places in found if places]


def _shared_by_quantity(
    claim: Statement, said: Statement
) -> Iterator[list[tuple[frozenset[str], frozenset[str]]]]:
    """Of each quantity of the claim, and each place where the source has it: the words that go with
    it in both; those of the claim that go with others of its kind there.
    """
    for token in claim.counted:
        claimed = attributes(claim, token)
        shared = []
        for same in (other for other in said.counted if alike(token, other)):
            own = attributes(said, same)
            rivals = [t for t in said.counted if _rivals(same, t) and not alike(token, t)]
            others = frozenset(stem for rival in rivals for stem in attributes(said, rival))
            shared.append((claimed & (own - others), claim.stems & claimed & (others - own)))
        if shared:
            yield shared


def _rivals(token: Token, other: Token) -> bool:
    """Whether a word can go with one of them only."""
    if token.quantity is None or other.quantity is None:
        return False
    return token.quantity.kind == other.quantity.kind and token is not other
