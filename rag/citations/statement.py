"""A sentence as what it tells apart by clause: stems of words, names, quantities, denials."""

# ruff: noqa: SIM905

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from rag.citations.quantities import Quantity, quantities
from rag.index.terms import terms

_WORD = re.compile(
    r"`[^`\n]+`|--?[\w][\w-]*|[^\W_](?:[\w]|[-.'’/@](?=\w))*|[,;:()\[\]–—…|!?]|\.(?=\s)"
)
_CODE = re.compile(r"`[^`\n]*[^\d\s`][^`\n]*`")
_CLAUSE_ENDS = frozenset(",;:)]–—…|!?.")
# Closed classes: what parts clauses, what denies, what sets a place on a scale, what stands for a
# name. Nothing else of English is known here.
_CONJUNCTIONS = frozenset(
    "and but or while whereas which who whose although though because so nor yet".split()
)
_DENIALS = frozenset("not no never nor neither none nobody nothing cannot kein keine nicht".split())
_RELATIONS = frozenset(
    "before after above below over under more less fewer most least only except until since"
    " without unless against outside inside".split()
)
_PRONOUNS = frozenset("he she it they him them his her hers its their theirs this these".split())
_DETERMINERS = frozenset("the a an this that these those each every all".split())
_LEAST_PART = 2
_PREFIX = 4
_SUFFIX = 3


class Kind(StrEnum):
    WORD = "word"
    NAME = "name"  # written with a capital inside a sentence
    CODE = "code"  # an identifier: in backticks, or with digits or marks inside
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
        """Whether it is a word, name or identifier that a source must hold too."""
        return self.kind in (Kind.WORD, Kind.NAME, Kind.CODE)


@dataclass(frozen=True)
class Statement:
    text: str
    tokens: tuple[Token, ...]
    has_pronoun: bool

    @cached_property
    def said(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.says)

    @cached_property
    def content(self) -> tuple[Token, ...]:
        """Words, names, identifiers and quantities."""
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
        return tuple(t for t in self.tokens if t.kind in (Kind.NAME, Kind.CODE))

    def clause(self, number: int) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.clause == number)


def subject(said: Statement) -> frozenset[str]:
    """Stems of the run of words that it begins with: later clauses leave them unsaid."""
    run: list[Token] = []
    for token in said.tokens:
        if token.says and (not run or token.clause == run[0].clause):
            run.append(token)
        elif run:
            break
    return frozenset(stem for token in run for stem in token.stems)


def has_subject(part: Statement) -> bool:
    """Whether a clause begins, behind its conjunction, with something of its own: "the shed", a
    name.
    """
    first = next((t for t in part.tokens if not _CONJUNCTIONS.intersection(t.stems)), None)
    return first is not None and (
        first.kind is Kind.NAME or bool(_DETERMINERS.intersection(first.stems))
    )


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", text.casefold()))


@lru_cache(maxsize=4096)
def statement(text: str) -> Statement:
    """At the beginning of a sentence a capital tells nothing."""
    tokens = tuple(_tokens(text))
    pronoun = any(word in _PRONOUNS for word in re.findall(r"[^\W\d_]+", text.lower()))
    return Statement(text, tokens, pronoun)


def held(token: Token, stems: frozenset[str]) -> bool:
    """Whether all stems of the token are there, or begin alike ("walk" and "walker")."""
    return all(
        stem in stems or (token.kind is Kind.WORD and begins(stem, stems)) for stem in token.stems
    )


def begins(stem: str, stems: frozenset[str]) -> bool:
    """Whether one of them is the same word with another ending, as far as letters tell."""
    if len(stem) < _PREFIX or not stem.isalpha():
        return False
    return any(
        abs(len(other) - len(stem)) <= _SUFFIX
        and (other.startswith(stem) or stem.startswith(other))
        for other in _by_prefix(stems).get(stem[:_PREFIX], ())
    )


@lru_cache(maxsize=1024)
def _by_prefix(stems: frozenset[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for stem in stems:
        if len(stem) >= _PREFIX:
            found.setdefault(stem[:_PREFIX], []).append(stem)
    return found


def _tokens(text: str) -> Iterator[Token]:
    code = [match.span() for match in _CODE.finditer(text)]
    counts = [q for q in quantities(text) if not any(a <= q.start < b for a, b in code)]
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
        if place and start < counts[place - 1].end:
            continue
        if word in _CLAUSE_ENDS:
            clause += 1
            opens = opens or word in ".!?:"
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
    if word[0] == "`" or re.search(r"\d|\w[._/@]\w|^-", word):
        return Kind.CODE, stems
    if any(character.isupper() for character in word):
        return Kind.NAME, stems
    return Kind.WORD, stems


def alike(one: Token, other: Token) -> bool:
    """Whether both have a stem in common, or one quantity."""
    if one.quantity is not None or other.quantity is not None:
        if one.quantity is None or other.quantity is None:
            return False
        return one.quantity.equals(other.quantity)
    return bool(set(one.stems) & set(other.stems))


def anchor(said: Statement, place: int) -> Token | None:
    """What a denial or a relation stands before in its clause, or else behind."""
    here = said.tokens[place]
    sides = (said.tokens[place + 1 :], said.tokens[:place][::-1])
    beside = (t for side in sides for t in side if t.clause == here.clause)
    return next((t for t in beside if t.says or t.quantity is not None), None)


def parts(said: Statement) -> list[Statement]:
    """The clauses as statements of their own, a short one together with the one before it."""
    groups: list[list[Token]] = []
    for number in dict.fromkeys(token.clause for token in said.tokens):
        clause = [token for token in said.tokens if token.clause == number]
        if groups and _weight(clause) < _LEAST_PART:
            groups[-1] += clause
        else:
            groups.append(clause)
    if len(groups) > 1 and _weight(groups[0]) < _LEAST_PART:
        groups[:2] = [groups[0] + groups[1]]
    return [Statement(said.text, tuple(g), said.has_pronoun) for g in groups]


def _weight(tokens: Sequence[Token]) -> int:
    return sum(token.says or token.quantity is not None for token in tokens)
