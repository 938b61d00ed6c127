"""Which words a quantity or a name goes with: those of its clause that are nearer to no other one.

"31 m long and 164 m high" says other things than "31 m above the river and 164 m long", though
every number of it is there.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from rag.citations.statement import Kind, Statement, Token, alike, subject

_BEFORE_A_NUMBER = frozenset({"from", "to", "by"})
_NEAR = 2
"""Words and quantities from one to the next, at most, that stand together."""
_RANGE = re.compile(r"\s*(?:[-–—]|to|bis)\s*")


def attributes(said: Statement, token: Token) -> frozenset[str]:
    """Stems of the words that go with it."""
    place = said.tokens.index(token)
    rivals = [
        i
        for i, other in enumerate(said.tokens)
        if other.clause == token.clause and _rivals(said, token, other) and abs(i - place) > 1
    ]
    return frozenset(
        stem
        for i, word in enumerate(said.tokens)
        if word.clause == token.clause and word.quantity is None and word is not token
        if all(abs(i - place) <= abs(i - rival) for rival in rivals)
        for stem in word.stems
    )


def bound(claim: Statement, said: Statement) -> bool:
    """Whether each quantity and name of the claim that the source has too goes with no word that
    goes with another one there.
    """
    return all(
        any(_at_home(claim, token, said, other) for other in same)
        for token, same in _pairs(claim, said)
    )


def together(claim: Statement, said: Statement) -> bool:
    """Whether words that stand together in the claim do so in the source: each word between two
    others beside one of them at least, and two that are apart there in one clause.
    """
    places = _places(claim, said)
    tokens = [t for t in claim.tokens if t in places]
    apart: dict[Token, list[bool]] = {}
    for one, other in itertools.pairwise(tokens):
        if one.clause != other.clause:
            continue
        pairs = [(a, b) for a in places[one] for b in places[other]]
        near = any(abs(a - b) <= _NEAR for a, b in pairs)
        if not near and not any(said.content[a].clause == said.content[b].clause for a, b in pairs):
            return False
        for token in (one, other):
            apart.setdefault(token, []).append(not near)
    return not any(len(b) > 1 and all(b) for token, b in apart.items() if token.says)


def _places(claim: Statement, said: Statement) -> dict[Token, list[int]]:
    """Where each word and quantity of the claim stands among those of the source."""
    found: dict[Token, list[int]] = {}
    for token in claim.content:
        places = [i for i, other in enumerate(said.content) if alike(token, other)]
        if places:
            found[token] = places
    return found


def misplaced(claim: Statement, said: Statement) -> bool:
    """Whether one goes with words of another one there, and with none of its own."""
    return any(
        all(_elsewhere(claim, token, said, other) for other in same)
        for token, same in _pairs(claim, said)
    )


def _pairs(claim: Statement, said: Statement) -> Iterator[tuple[Token, list[Token]]]:
    for token in claim.tokens:
        same = [other for other in said.tokens if _same(token, other)]
        if same:
            yield token, same


def _at_home(claim: Statement, token: Token, said: Statement, same: Token) -> bool:
    if _differently_led(claim, token, said, same):
        return False
    _, theirs = _shared(claim, token, said, same)
    return not theirs & claim.stems


def _elsewhere(claim: Statement, token: Token, said: Statement, same: Token) -> bool:
    own, theirs = _shared(claim, token, said, same)
    return _differently_led(claim, token, said, same) or (not own and bool(theirs & claim.stems))


def _shared(
    claim: Statement, token: Token, said: Statement, same: Token
) -> tuple[frozenset[str], frozenset[str]]:
    """What the token goes with in the claim, and there too; and what goes with others there."""
    claimed = attributes(claim, token)
    own = attributes(said, same)
    rivals = [t for t in said.tokens if _rivals(said, same, t) and not _same(token, t)]
    other = frozenset(stem for rival in rivals for stem in attributes(said, rival))
    return claimed & (own - other), claimed & (other - own - subject(said))


def _rivals(said: Statement, token: Token, other: Token) -> bool:
    """Whether a word can go with one of them only; a range is one quantity."""
    if token.quantity is not None and other.quantity is not None:
        first, last = sorted((token, other), key=lambda t: t.start)
        ranging = _RANGE.fullmatch(said.text, first.end, last.start)
        return token.quantity.kind == other.quantity.kind and token is not other and not ranging
    return token.kind is Kind.NAME and other.kind is Kind.NAME and token.stems != other.stems


def _same(token: Token, other: Token) -> bool:
    if token.quantity is not None:
        return other.quantity is not None and token.quantity.equals(other.quantity)
    return token.kind is Kind.NAME and other.stems == token.stems


def _differently_led(claim: Statement, token: Token, said: Statement, same: Token) -> bool:
    """As "from 60 to 72" and "from 72 to 60" are, or "to 15 %" and "by 15 %"."""
    if token.quantity is None:
        return False
    ours, theirs = _before(claim, token), _before(said, same)
    return ours != theirs and {ours, theirs} <= _BEFORE_A_NUMBER


def _before(said: Statement, token: Token) -> str:
    place = said.tokens.index(token)
    return said.tokens[place - 1].stems[0] if place and said.tokens[place - 1].stems else ""
