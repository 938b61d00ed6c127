"""What a source says otherwise: the same sentence with one quantity, name or denial changed.

Silence is no contradiction, and neither is another sentence about the same thing: there must be
one that says nearly all of the claim, and says that one thing differently.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rag.citations.binding import attributes, misplaced
from rag.citations.evidence import Evidence
from rag.citations.polarity import same_denials, same_relations
from rag.citations.quantities import Quantity
from rag.citations.statement import Kind, Statement, Token, begins, held

SAYS_IT = 0.7
"""Share of the weight of a claim's words, the one in question left out, from which on a sentence
speaks of the same thing.
"""
SAYS_HALF = 0.5
_ALL = 0.999
_BOUNDS = frozenset({"more", "less", "fewer"})
_COMPARING = _BOUNDS | {"over", "under", "above", "below", "least", "most", "until", "since"}


def contradiction(
    claim: Statement,
    named: Sequence[Evidence],
    evidence: Sequence[Evidence],
    weights: Mapping[str, float],
) -> tuple[str, Evidence] | None:
    """In words, with the sentence of `named` that says otherwise; what stands anywhere in the
    evidence is not made up.
    """
    finders = (
        (
            (f"the source says {there}, not {here}", item)
            for here, there, item in other_quantities(claim, named, evidence, weights)
        ),
        _misbound(claim, named, weights),
        _name(claim, named, evidence, weights),
        _denial(claim, named, weights),
    )
    return next((found for finder in finders for found in finder), None)


def share(tokens: Iterable[Token], item: Evidence, weights: Mapping[str, float]) -> float:
    """How much of the weight of these words the sentence holds, 0 to 1."""
    stems = item.stems
    total = holding = 0.0
    for token in tokens:
        weight = max((weights.get(stem, 1.0) for stem in token.stems), default=1.0)
        total += weight
        holding += weight * held(token, stems)
    return holding / total if total else 0.0


Found = Iterator[tuple[str, Evidence]]


def other_quantities(
    claim: Statement,
    named: Sequence[Evidence],
    evidence: Sequence[Evidence],
    weights: Mapping[str, float],
) -> Iterator[tuple[str, str, Evidence]]:
    """Each quantity of the claim that none of the evidence has, with what a sentence of `named`
    has in its place, and that sentence.
    """
    for token in claim.counted:
        said = token.quantity
        words = _beside(claim, token)
        if said is None or not words or _compares(claim, token):
            continue
        if _known(claim, said, words, evidence, weights):
            continue
        for item in named:
            rival = _rival(claim, token, item)
            # In a row a quantity of its kind needs no name, if there is no other one.
            least = SAYS_IT if not item.key or not rival or not rival.alone else SAYS_HALF
            if rival is None or not _of_row(claim, item) or share(words, item, weights) < least:
                continue
            if not _derived(said, (*item.quantities, *claim.quantities)):
                yield claim.text_of(token), item.said.text_of(rival.token), item


def _known(
    claim: Statement,
    said: Quantity,
    words: Sequence[Token],
    evidence: Sequence[Evidence],
    weights: Mapping[str, float],
) -> bool:
    """Whether any sentence has the quantity; a bare number counts where its words stand too."""
    for item in evidence:
        equal = [q for q in item.quantities if said.equals(q)]
        if not equal or not _of_row(claim, item):
            continue
        dated = said.date is not None
        measured = any(q.kind == said.kind for q in equal) and said.kind != "count"
        if dated or measured or share(words, item, weights) >= SAYS_HALF:
            return True
    return False


def _beside(claim: Statement, token: Token) -> list[Token]:
    """The words of its clause; of the whole claim where there are not two."""
    words = [t for t in claim.said if t.clause == token.clause]
    return words if len(words) > 1 else list(claim.said)


class _Rival(NamedTuple):
    """`alone`: it is the only one of its kind in the sentence."""

    token: Token
    alone: bool


def _rival(claim: Statement, token: Token, item: Evidence) -> _Rival | None:
    """What the sentence has in the place of the claim's quantity."""
    said = token.quantity
    assert said is not None
    claimed = [t.quantity for t in claim.counted if t.quantity is not None]
    rivals = [
        other
        for other in item.said.counted
        if other.quantity is not None
        and said.like(other.quantity)
        and not any(q.equals(other.quantity) for q in claimed)
    ]
    words = attributes(claim, token)
    if said.kind == "count":  # what is counted must be the same
        rivals = [r for r in rivals if words & attributes(item.said, r)]
    if not rivals:
        return None
    best = max(rivals, key=lambda r: len(words & attributes(item.said, r)))
    return _Rival(best, sum(q.kind == said.kind for q in item.quantities) == 1)


def _compares(claim: Statement, token: Token) -> bool:
    """Whether the number is a bound or a difference: "more than 30", "18 more than"."""
    place = claim.tokens.index(token)
    before = claim.tokens[max(0, place - 2) : place]
    return any(
        t.clause == token.clause and (t in before or not _BOUNDS.isdisjoint(t.stems))
        for t in claim.tokens
        if t.kind is Kind.RELATION and not _COMPARING.isdisjoint(t.stems)
    )


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


def _misbound(
    claim: Statement, evidence: Sequence[Evidence], weights: Mapping[str, float]
) -> Found:
    """All of it is there, but the numbers belong to other things."""
    said = [t.quantity for t in claim.counted if t.quantity is not None]
    least = SAYS_IT if len({q.kind for q in said}) < len(said) else _ALL
    for item in evidence:
        if not said or not all(any(q.equals(p) for p in item.quantities) for q in said):
            continue
        if share(claim.said, item, weights) >= least and misplaced(claim, item.said):
            yield "the source gives these numbers to other things", item


def _name(
    claim: Statement,
    named: Sequence[Evidence],
    evidence: Sequence[Evidence],
    weights: Mapping[str, float],
) -> Found:
    everywhere = frozenset(stem for item in evidence for stem in item.stems)
    # "Asian" is no other name than "Asia".
    unknown = [
        t for t in claim.names if not any(s in everywhere or begins(s, everywhere) for s in t.stems)
    ]
    rest = [t for t in claim.said if t not in unknown]
    if not unknown or len(rest) < 2:
        return
    for item in named:
        others = [t for t in item.said.names if not held(t, claim.stems)]
        like = [t for t in others if t.kind in {u.kind for u in unknown}]
        if _shortened(unknown, others) or _shortened(others, unknown):
            continue
        counts = all(
            any(t.quantity.equals(q) for q in item.quantities)
            for t in claim.counted
            if t.quantity is not None
        )
        if like and counts and share(rest, item, weights) >= SAYS_IT:
            there = item.said.text_of(like[0])
            yield f"the source says {there}, not {claim.text_of(unknown[0])}", item


def _shortened(short: Sequence[Token], long: Sequence[Token]) -> bool:
    """Whether one name is the initials of the others in a row: "EU"."""
    initials = "".join(name.stems[0][0] for name in long)
    return any(len(n.stems[0]) > 1 and n.stems[0] in initials for n in short)


def _denial(claim: Statement, evidence: Sequence[Evidence], weights: Mapping[str, float]) -> Found:
    for item in evidence:
        said = item.said
        if share(claim.said, item, weights) < _ALL or same_denials(claim, said):
            continue
        if not same_relations(claim, said):
            continue
        clauses = {t.clause for t in said.said if held(t, claim.stems)}
        more = [t for t in said.said if t.clause in clauses and not held(t, claim.stems)]
        if len(more) <= 1 + len(claim.said) // 4 and _of_row(claim, item):
            yield "the source says the opposite", item
