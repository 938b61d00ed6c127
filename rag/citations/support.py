"""Whether a quote supports a claim, decided by code: word for word first, then by measure."""

# ruff: noqa: RUF001
from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.answering.evidence import coverage
from rag.answering.logistic import Logistic, load_logistic
from rag.answering.opposites import opposed, words
from rag.answering.quantities import numbers
from rag.answering.question import negations
from rag.citations.notes import without_notes
from rag.index.terms import terms
from state.answer import Support

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_MARKUP = re.compile(
    r"<!--.*?-->|[*_`#>|\"'“”‘’«»„‚\\]|\]\([^()\s]{0,300}\)"
    r"|\]\[[^\[\]\n]{0,200}\]|!?\[",
    re.DOTALL,
)
_QUOTATION = re.compile(r"[\"“„«]([^\"“”„«»]{12,400})[\"”“»]")
_SPACES = re.compile(r"\s+")
_EDGE = re.compile(r"^[\s\-*•+.,;:…)\]]+|[\s.,;:!?…。！？(\[]+$")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a draft without its markers; `names` are stems of capitalised words."""

    text: str
    terms: tuple[str, ...]
    names: frozenset[str]
    numbers: frozenset[str]

    @property
    def is_checkable(self) -> bool:
        return bool(self.terms or self.numbers)


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch of a source; `context` is what its sentences leave unsaid (title, headings,
    the rest of the passage).
    """

    text: str
    context: str


def support_model() -> Logistic:
    """Its threshold is the probability from which a claim counts as supported."""
    return load_logistic(Path(__file__).with_name("support_model.json"))


def make_claim(text: str) -> Claim:
    names: set[str] = set()
    for match in _WORD.finditer(text):
        word = match.group()
        if match.start() > 0 and (word[0].isupper() or any(c.isupper() for c in word[1:])):
            names.update(terms(word))
    return Claim(text, tuple(dict.fromkeys(terms(text))), frozenset(names), numbers(text))


def is_verbatim(claim: Claim, quote: Quote) -> bool:
    """Word for word, up to whitespace, case, quotation marks, Markdown and left-out middles."""
    said = _plain(quote.text)
    place = 0
    pieces = [_EDGE.sub("", piece) for piece in re.split(r"…|\.\.\.", _plain(claim.text))]
    pieces = [piece for piece in pieces if piece]
    for piece in pieces:
        place = _find(said, piece, place)
        if place < 0:
            return False
    return bool(pieces) and claim.is_checkable


def is_row(claim: Claim, quote: Quote) -> bool:
    """Whether the claim is the quoted table row, its cells under their columns' names."""
    if " | " not in quote.text and quote.text.count("|") < 2:
        return False
    cells = {_words_of(cell) for cell in quote.text.split("|")}
    around = {_words_of(cell) for cell in re.split(r"[|\n]", quote.context)}
    parts = [part.partition(": ") for part in claim.text.split("; ")]
    return len(parts) > 1 and all(
        _words_of(f"{name}{colon}{value}") in cells
        or (_words_of(value) in cells and _words_of(name) in around)
        for name, colon, value in parts
    )


def _words_of(cell: str) -> str:
    return " ".join(words(_plain(cell)))


def judge(
    claim: Claim, quote: Quote, cosine: float, weights: Mapping[str, float]
) -> tuple[Support, float]:
    """The verdict and the probability behind it. `weights` holds every term of the claim."""
    if is_verbatim(claim, quote) or is_row(claim, quote):
        return "verbatim", 1.0
    features = support_features(claim, quote, cosine, weights)
    if features["numbers_missing"] or features["quotation_missing"]:
        return "unsupported", 0.0
    model = support_model()
    probability = model.probability(features)
    return ("supported" if probability >= model.threshold else "unsupported"), probability


def support_features(
    claim: Claim, quote: Quote, cosine: float, weights: Mapping[str, float]
) -> dict[str, float]:
    said = tuple(terms(quote.text))
    held, around = set(said), set(said) | set(terms(quote.context))
    missing = [term for term in claim.terms if term not in held]
    claimed, said_words = words(claim.text), words(quote.text)
    pairs = set(zip(claim.terms, claim.terms[1:], strict=False))
    known = numbers(quote.text) | numbers(quote.context)
    return {
        "coverage": coverage(claim.terms, held, weights),
        "context_coverage": coverage(claim.terms, around, weights),
        "share": 1 - len(missing) / max(1, len(claim.terms)),
        "rarest_missing": max((weights[term] for term in missing), default=0.0) / 8,
        "rarest_unknown": max((weights[t] for t in claim.terms if t not in around), default=0.0)
        / 8,
        "cosine": cosine,
        "pairs": len(pairs & set(itertools.pairwise(said))) / max(1, len(pairs)),
        "in_order": _in_order(claim.terms, said) / max(1, len(claim.terms)),
        "names_missing": float(bool(claim.names - held)),
        "names_unknown": float(bool(claim.names - around)),
        "numbers_missing": float(bool(claim.numbers - known)),
        "quotation_missing": float(_misquotes(claim, quote)),
        "other_polarity": float(bool(negations(claim.text)) != bool(negations(quote.text))),
        "opposite": float(opposed(claimed, said_words) or opposed(said_words, claimed)),
        "length": math.log1p(len(claim.terms)),
        "length_ratio": math.log1p(len(claim.terms)) - math.log1p(len(said)),
    }


def _misquotes(claim: Claim, quote: Quote) -> bool:
    """Whether words the claim gives between quotation marks are not in the source."""
    said = _plain(f"{quote.text} {quote.context}")
    return any(
        len(words := _EDGE.sub("", _plain(match.group(1)))) >= 12 and words not in said
        for match in _QUOTATION.finditer(claim.text)
    )


def _plain(text: str) -> str:
    plain = _SPACES.sub(" ", _MARKUP.sub("", without_notes(text))).strip().casefold()
    return plain.replace(" :", ":")


def _find(said: str, piece: str, start: int) -> int:
    """Where the piece ends in what was said, at word boundaries; -1 if it is not there."""
    while (place := said.find(piece, start)) >= 0:
        end = place + len(piece)
        opens = place == 0 or not (said[place - 1].isalnum() and piece[0].isascii())
        closes = end == len(said) or not (said[end].isalnum() and piece[-1].isascii())
        if opens and closes:
            return end
        start = place + 1
    return -1


def _in_order(claimed: Sequence[str], said: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    said = said[:400]
    table = [0] * (len(said) + 1)
    for term in claimed[:200]:
        diagonal = 0
        for j, other in enumerate(said, start=1):
            diagonal, table[j] = (
                table[j],
                diagonal + 1 if term == other else max(table[j], table[j - 1]),
            )
    return table[-1]
