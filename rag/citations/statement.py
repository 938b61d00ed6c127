"""A sentence as what it tells apart by clause: stems of words, names, quantities, denials."""

# ruff: noqa: SIM905

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from rag.citations.quantities import Quantity, quantities
from rag.index.terms import terms

_WORD = re.compile(
    r"`[^`\n]+`|--?[\w][\w-]*|[^\W_](?:[\w]|[-.'’/@](?=\w))*|[,;:()\[\]–—…|!?]|\.(?=\s)"
)
_CLAUSE_ENDS = frozenset(",;:)]–—…|!?.")
# Closed classes: what parts clauses, what denies, what sets a place on a scale. Nothing else of
# English is known here.
_CONJUNCTIONS = frozenset(
    "and but or while whereas which who whose although though because so nor yet".split()
)
_DENIALS = frozenset("not no never nor neither none nobody nothing cannot".split())
_RELATIONS = frozenset(
    "before after above below over under more less fewer most least only except until since"
    " without unless against outside inside".split()
)
_PREFIX = 4
_SUFFIX = 3


class Kind(StrEnum):
    WORD = "word"
    NAME = "name"  # with a capital inside a sentence, in backticks, or with digits or marks inside
    QUANTITY = "quantity"
    DENIAL = "denial"
    RELATION = "relation"
    GLUE = "glue"  # any other word that no index holds


@dataclass(frozen=True, slots=True)
class Token:
    start: int
    end: int
    clause: int
    kind: Kind
    stems: tuple[str, ...]
    quantity: Quantity | None = None

    @property
    def says(self) -> bool:
        """Whether it is a word or a name that a source must hold too."""
        return self.kind in (Kind.WORD, Kind.NAME)


@dataclass(frozen=True)
class Statement:
    text: str
    tokens: tuple[Token, ...]

    @cached_property
    def said(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.says)

    @cached_property
    def content(self) -> tuple[Token, ...]:
        """Words, names and quantities."""
        return tuple(token for token in self.tokens if token.says or token.quantity is not None)

    @cached_property
    def counted(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.quantity is not None)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        return tuple(t.quantity for t in self.tokens if t.quantity is not None)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stem for token in self.said for stem in token.stems)

    @cached_property
    def words(self) -> frozenset[str]:
        """As they are written, in lower case."""
        return words(self.text)

    def text_of(self, token: Token) -> str:
        return self.text[token.start : token.end]

    @cached_property
    def names(self) -> tuple[Token, ...]:
        return tuple(t for t in self.tokens if t.kind is Kind.NAME)

    @cached_property
    def relations(self) -> frozenset[str]:
        return frozenset(t.stems[0] for t in self.tokens if t.kind is Kind.RELATION)

    def clause(self, number: int) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.clause == number)


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", text.casefold()))


@lru_cache(maxsize=4096)
def statement(text: str) -> Statement:
    """At the beginning of a sentence a capital tells nothing."""
    return Statement(text, tuple(_tokens(text)))


def held(token: Token, stems: frozenset[str]) -> bool:
    """Whether all stems of the token are there, or begin alike ("walk" and "walker")."""
    return all(
        stem in stems or (token.kind is Kind.WORD and begins(stem, stems)) for stem in token.stems
    )


def begins(stem: str, stems: frozenset[str]) -> bool:
    """Whether one of them is the same word with another ending, as far as letters tell."""
    return any(
        min(len(stem), len(other)) >= _PREFIX
        and abs(len(other) - len(stem)) <= _SUFFIX
        and (other.startswith(stem) or stem.startswith(other))
        for other in stems
    )


def _tokens(text: str) -> Iterator[Token]:
    counts = quantities(text)
    clause = 0
    opens = True  # at the beginning of a sentence, where a capital says nothing
    place = 0
    for match in _WORD.finditer(text):
        start, end, word = match.start(), match.end(), match.group()
        while place < len(counts) and counts[place].start < end:
            count = counts[place]
            yield Token(count.start, count.end, clause, Kind.QUANTITY, (), count)
            place += 1
            opens = False
        if place and start < counts[place - 1].end and word[0] != "`":
            continue
        if word in _CLAUSE_ENDS:
            clause += 1
            continue
        lower = word.lower()
        if lower in _CONJUNCTIONS:
            clause += 1
        kind, stems = _kind(word, lower) if lower not in _CONJUNCTIONS else (Kind.GLUE, (lower,))
        if kind is Kind.NAME and opens:
            kind = Kind.WORD
        yield Token(start, end, clause, kind, stems)
        opens = False
    for count in counts[place:]:
        yield Token(count.start, count.end, clause, Kind.QUANTITY, (), count)


def _kind(word: str, lower: str) -> tuple[Kind, tuple[str, ...]]:
    if lower in _DENIALS or lower.endswith(("n't", "n’t")):
        return Kind.DENIAL, (lower,)
    if lower in _RELATIONS:
        return Kind.RELATION, (lower,)
    stems = tuple(terms(word.strip("`")))
    if not stems:
        return Kind.GLUE, (lower,)
    if re.search(r"[`\dA-Z]|\w[._/@]\w|^-", word) or lower != word:
        return Kind.NAME, stems
    return Kind.WORD, stems


def alike(one: Token, other: Token) -> bool:
    """Whether both have a stem in common, or one quantity."""
    if one.quantity is not None or other.quantity is not None:
        if one.quantity is None or other.quantity is None:
            return False
        return one.quantity.equals(other.quantity)
    return bool(set(one.stems) & set(other.stems))


def parts(said: Statement) -> list[Statement]:
    """The clauses as statements of their own."""
    numbers = dict.fromkeys(token.clause for token in said.tokens)
    return [Statement(said.text, said.clause(number)) for number in numbers]
