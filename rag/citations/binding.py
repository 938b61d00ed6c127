"""Which words a quantity or a name goes with: those of its clause that are nearer to no other one.

"31 m long and 164 m high" says other things than "31 m above the river and 164 m long", though
every number of it is there.
"""

from __future__ import annotations

from collections.abc import Iterator

from rag.citations.statement import Kind, Statement, Token, subject

_ENDS_OF_A_SPAN = {"from", "to"}


def attributes(said: Statement, token: Token) -> frozenset[str]:
    """Stems of the words that go with it."""
    place = said.tokens.index(token)
    rivals = [
        i
        for i, other in enumerate(said.tokens)
        if other.clause == token.clause and _rivals(token, other) and abs(i - place) > 1
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
    if _opposite_ends(claim, token, said, same):
        return False
    _, theirs = _shared(claim, token, said, same)
    return not theirs & claim.stems


def _elsewhere(claim: Statement, token: Token, said: Statement, same: Token) -> bool:
    own, theirs = _shared(claim, token, said, same)
    return _opposite_ends(claim, token, said, same) or (not own and bool(theirs & claim.stems))


def _shared(
    claim: Statement, token: Token, said: Statement, same: Token
) -> tuple[frozenset[str], frozenset[str]]:
    """What the token goes with in the claim, and there too; and what goes with others there."""
    claimed = attributes(claim, token)
    own = attributes(said, same)
    rivals = [t for t in said.tokens if _rivals(same, t) and not _same(token, t)]
    other = frozenset(stem for rival in rivals for stem in attributes(said, rival))
    return claimed & (own - other), claimed & (other - own - subject(said))


def _rivals(token: Token, other: Token) -> bool:
    """Whether a word can go with one of them only."""
    if token.quantity is not None and other.quantity is not None:
        return token.quantity.kind == other.quantity.kind and token is not other
    return token.kind is Kind.NAME and other.kind is Kind.NAME and token.stems != other.stems


def _same(token: Token, other: Token) -> bool:
    if token.quantity is not None:
        return other.quantity is not None and token.quantity.equals(other.quantity)
    return token.kind is Kind.NAME and other.stems == token.stems


def _opposite_ends(claim: Statement, token: Token, said: Statement, same: Token) -> bool:
    """As "from 60 to 72" against "from 72 to 60" are."""
    if token.quantity is None:
        return False
    ends = {_before(claim, token), _before(said, same)}
    return ends == _ENDS_OF_A_SPAN


def _before(said: Statement, token: Token) -> str:
    place = said.tokens.index(token)
    return said.tokens[place - 1].stems[0] if place and said.tokens[place - 1].stems else ""
