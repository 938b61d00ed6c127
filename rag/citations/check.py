"""A draft checked sentence by sentence: what is supported keeps located quotes, the rest goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.answering.evidence import term_weights
from rag.citations.assembly import assemble, is_claim
from rag.citations.quotes import standing_quotes
from rag.citations.support import Claim, Quote, judge, make_claim
from rag.index.protocol import CollectionReader
from rag.text.sentences import sentence_spans
from state.answer import Citation, Support
from state.draft import DraftClaim
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
    span: Span
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


def check(
    draft: Sequence[DraftClaim], passages: Sequence[Passage], reader: CollectionReader
) -> Checked:
    """Every marker that stays resolves to a quote of a passage that was given."""
    quotes = [located for passage in passages for located in _located(passage)]
    claims = {place: make_claim(c["text"]) for place, c in enumerate(draft) if is_claim(c)}
    quoted = {place: c for place, c in enumerate(draft) if c["quotes"]}
    judged = {place: claim for place, claim in claims.items() if place not in quoted}
    found = _evidence(draft, judged, quotes, reader)
    standing = {
        place: standing_quotes(claim["quotes"], passages, reader) for place, claim in quoted.items()
    }
    citations: list[Citation] = []
    numbered: dict[tuple[str, int, int], int] = {}
    kept: dict[int, tuple[int, ...]] = {}
    for number in claims:
        markers = []
        cited = standing.get(number) or [_citation(item) for item in found.get(number, ())]
        for citation in cited:
            place = citation["source"], citation["start_char"], citation["end_char"]
            if place not in numbered:
                numbered[place] = len(numbered) + 1
                citations.append({**citation, "marker": numbered[place]})
            markers.append(numbered[place])
        if markers:
            kept[number] = tuple(dict.fromkeys(markers))
    unsupported = tuple(draft[place]["text"] for place in claims if place not in kept)
    return Checked(assemble(draft, kept), citations, unsupported)


def _evidence(
    draft: Sequence[DraftClaim],
    claims: Mapping[int, Claim],
    quotes: Sequence[_Located],
    reader: CollectionReader,
) -> dict[int, list[_Evidence]]:
    if not claims or not quotes:
        return {}
    embedder = reader.embedder
    vectors = embedder.embed_documents([located.quote.text for located in quotes])
    asked = embedder.embed_documents([claim.text for claim in claims.values()])
    cosines = asked @ vectors.T
    weights = term_weights(sorted({t for c in claims.values() for t in c.terms}), reader)
    found: dict[int, list[_Evidence]] = {}
    for row, (place, claim) in enumerate(claims.items()):
        judged = [
            _Evidence(located, *judge(claim, located.quote, float(cosines[row, column]), weights))
            for column, located in enumerate(quotes)
        ]
        cosine = float(cosines[row].max())
        named = draft[place]["passages"]
        found[place] = _cited(named, judged) or _together(named, claim, judged, cosine, weights)
    return found


def _together(
    named: Sequence[int],
    claim: Claim,
    judged: Sequence[_Evidence],
    cosine: float,
    weights: Mapping[str, float],
) -> list[_Evidence]:
    """A claim drawn from two passages: neither holds it alone, both together do."""
    nearest: dict[int, _Evidence] = {}
    for item in judged:
        number = item.located.passage["number"]
        if number in named and (
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


def _cited(named: Sequence[int], judged: Sequence[_Evidence]) -> list[_Evidence]:
    """The best quote of each passage the draft named, or else of any passage it was given."""
    best: dict[int, _Evidence] = {}
    for item in judged:
        number = item.located.passage["number"]
        if item.support != "unsupported" and (number not in best or _better(item, best[number])):
            best[number] = item
    held = [best[number] for number in named if number in best]
    if held:
        return held[:MOST_CITATIONS]
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
        span,
        span["start_char"] + start,
        span["start_char"] + end,
        span["start_line"] + text.count("\n", 0, start),
        span["start_line"] + text.count("\n", 0, end),
        Quote(text[start:end], context),
    )


def _citation(item: _Evidence) -> Citation:
    located = item.located
    return {
        "marker": 0,
        "source": located.passage["source"],
        "title": located.passage["title"],
        "page": located.passage["page"],
        "start_line": located.start_line,
        "end_line": located.end_line,
        "start_char": located.start_char,
        "end_char": located.end_char,
        "chunk_id": located.passage["chunk_id"],
        "quote": located.quote.text,
        "passage": located.span["text"],
        "support": item.support,
    }
