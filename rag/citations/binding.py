"""Which words a quantity goes with: those of its clause that are nearer to no other one.

"31 m long and 164 m high" says other things than "31 m above the river and 164 m long", though
every number of it is there.
"""

from __future__ import annotations

import itertools

from rag.citations.statement import Statement, Token, alike

_NEAR = 2
"""Words and quantities from one to the next, at most, that stand together."""


def misplaced(claim: Statement, said: Statement) -> bool:
    """Whether a quantity of the claim goes, wherever the source has it, with words of another one
    of its kind there, and with none of its own.
    """
    for token in claim.counted:
        places = [other for other in said.counted if alike(token, other)]
        if places and all(_elsewhere(claim, token, said, place) for place in places):
            return True
    return False


def _elsewhere(claim: Statement, token: Token, said: Statement, place: Token) -> bool:
    rivals = [t for t in said.counted if _rivals(place, t) and not alike(token, t)]
    others = frozenset(stem for rival in rivals for stem in _attributes(said, rival))
    own, claimed = _attributes(said, place), _attributes(claim, token)
    return bool(claim.stems & claimed & (others - own)) and not claimed & (own - others)


def _attributes(said: Statement, token: Token) -> frozenset[str]:
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
    """Whether the words are in the order of the source, but for one stretch moved to the front."""
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


def _rivals(token: Token, other: Token) -> bool:
    """Whether a word can go with one of them only."""
    if token.quantity is None or other.quantity is None:
        return False
    return token.quantity.kind == other.quantity.kind and token is not other
