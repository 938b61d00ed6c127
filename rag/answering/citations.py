"""A draft checked sentence by sentence: what is supported keeps located quotes, the rest goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.answering.drafts import Piece, assemble, read_draft
from rag.answering.evidence import term_weights
from rag.answering.support import Claim, Quote, judge, make_claim
from rag.index.protocol import CollectionReader
from rag.text.sentences import sentence_spans
from state.answer import Citation, Support
from state.passages import Passage, Span

MOST_CITATIONS = 4
"""A sentence is shown with at most this many sources."""


@dataclass(frozen=True, slots=True)
class Checked:
    """`text` holds the supported claims, its markers numbered from 1 in order of appearance;
    `citations` has one entry a marker. `unsupported` are the claims left out, as drafted.
    """

    text: str
    citations: list[Citation]
    unsupported: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Located:
    """A stretch of a passage that a claim may rest on."""

    passage: Passage
    start_char: int
    end_char: int
    start_line: int
    end_line: int
    quote: Quote


@dataclass(frozen=True, slots=True)
class _Evidence:
    located: _Located
    support: Support
    probability: float


def check(draft: str, passages: Sequence[Passage], reader: CollectionReader) -> Checked:
    """Every marker that stays resolves to a quote of a passage that was given."""
    pieces = read_draft(draft)
    quotes = [located for passage in passages for located in _located(passage)]
    claims = {piece: make_claim(piece.text) for piece in pieces if piece.is_claim}
    found = _evidence(claims, quotes, reader)
    citations: list[Citation] = []
    numbered: dict[tuple[str, int, int], int] = {}
    kept: dict[Piece, tuple[int, ...]] = {}
    for piece, evidence in found.items():
        markers = []
        for item in evidence:
            place = (
                item.located.passage["chunk_id"],
                item.located.start_char,
                item.located.end_char,
            )
            if place not in numbered:
                numbered[place] = len(numbered) + 1
                citations.append(_citation(numbered[place], item))
            markers.append(numbered[place])
        if markers:
            kept[piece] = tuple(dict.fromkeys(markers))
    text = assemble(pieces, kept)
    unsupported = tuple(piece.text for piece in claims if piece not in kept)
    return Checked(text, citations, unsupported)


def _evidence(
    claims: dict[Piece, Claim], quotes: Sequence[_Located], reader: CollectionReader
) -> dict[Piece, list[_Evidence]]:
    if not claims or not quotes:
        return {}
    embedder = reader.embedder
    vectors = embedder.embed_documents([located.quote.text for located in quotes])
    asked = embedder.embed_documents([claim.text for claim in claims.values()])
    cosines = asked @ vectors.T
    weights = term_weights(sorted({t for c in claims.values() for t in c.terms}), reader)
    found: dict[Piece, list[_Evidence]] = {}
    for row, (piece, claim) in enumerate(claims.items()):
        judged = [
            _Evidence(located, *judge(claim, located.quote, float(cosines[row, column]), weights))
            for column, located in enumerate(quotes)
        ]
        cosine = float(cosines[row].max())
        found[piece] = _cited(piece, judged) or _together(piece, claim, judged, cosine, weights)
    return found


def _together(
    piece: Piece,
    claim: Claim,
    judged: Sequence[_Evidence],
    cosine: float,
    weights: Mapping[str, float],
) -> list[_Evidence]:
    """A claim drawn from two passages: neither holds it alone, both together do."""
    nearest: dict[int, _Evidence] = {}
    for item in judged:
        number = item.located.passage["number"]
        if number in piece.markers and (
            number not in nearest or item.probability > nearest[number].probability
        ):
            nearest[number] = item
    if len(nearest) < 2:
        return []
    parts = list(nearest.values())[:MOST_CITATIONS]
    joined = Quote(
        " ".join(item.located.quote.text for item in parts),
        " ".join(item.located.quote.context for item in parts),
    )
    support, probability = judge(claim, joined, cosine, weights)
    if support == "unsupported":
        return []
    return [_Evidence(item.located, "supported", probability) for item in parts]


def _cited(piece: Piece, judged: Sequence[_Evidence]) -> list[_Evidence]:
    """The best quote of each passage the draft named, or else of any passage it was given."""
    best: dict[int, _Evidence] = {}
    for item in judged:
        number = item.located.passage["number"]
        if item.support != "unsupported" and (number not in best or _better(item, best[number])):
            best[number] = item
    named = [best[number] for number in piece.markers if number in best]
    if named:
        return named[:MOST_CITATIONS]
    rest = sorted(best.values(), key=lambda item: (-item.probability, _length(item)))
    return rest[:1]


def _better(one: _Evidence, other: _Evidence) -> bool:
    """The likelier; among equals the shorter quote."""
    if one.support != other.support:
        return one.support == "verbatim"
    if abs(one.probability - other.probability) > 0.02:
        return one.probability > other.probability
    return _length(one) < _length(other)


def _length(item: _Evidence) -> int:
    return item.located.end_char - item.located.start_char


def _located(passage: Passage) -> Iterator[_Located]:
    """Each sentence, each pair of neighbours and each whole span, as a possible quote."""
    about = f"{passage['title'] or ''} {passage['heading']} "
    whole = about + " ".join(span["text"] for span in passage["spans"])
    for span in passage["spans"]:
        spans = sentence_spans(span["text"])
        for i, (start, end) in enumerate(spans):
            yield _locate(passage, span, start, end, whole)
            if i + 1 < len(spans):
                yield _locate(passage, span, start, spans[i + 1][1], whole)
        if len(spans) > 2:
            yield _locate(passage, span, spans[0][0], spans[-1][1], whole)


def _locate(passage: Passage, span: Span, start: int, end: int, context: str) -> _Located:
    text = span["text"]
    return _Located(
        passage,
        span["start_char"] + start,
        span["start_char"] + end,
        span["start_line"] + text.count("\n", 0, start),
        span["start_line"] + text.count("\n", 0, end),
        Quote(text[start:end], context),
    )


def _citation(marker: int, item: _Evidence) -> Citation:
    located = item.located
    return {
        "marker": marker,
        "source": located.passage["source"],
        "title": located.passage["title"],
        "page": located.passage["page"],
        "start_line": located.start_line,
        "end_line": located.end_line,
        "start_char": located.start_char,
        "end_char": located.end_char,
        "chunk_id": located.passage["chunk_id"],
        "quote": located.quote.text,
        "support": item.support,
    }
