"""Relevant chunks cut to the sentences that bear on the question.

Knowledge refinement of CRAG (Yan et al. 2024, section 4.4): decompose to strips, score each
against the question, recompose those that matter. Strips are slices of the document, so a
citation can still point into the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rag.answering.evidence import Measured, measure, term_weights
from rag.answering.listings import listing
from rag.answering.question import Question, analyse
from rag.answering.strips import Source, evidence, follows, heading, leans_on, strips_of
from rag.index.protocol import CollectionReader
from state.grades import Grade
from state.passages import Passage, RetrievedChunk, Span

KEPT_SHARE = 0.49
"""Of the characters of the relevant chunks."""

SMALL = 200
"""Characters that are kept whole where an event is asked for: what tells it from another one."""

LISTED_SHARE = 0.8
"""The same, where the rows of a list that was asked for fill it."""

_ENDS = re.compile(r"[.!?。！？][\"'”’)\]*_]*$")  # noqa: RUF001


def refine(
    question: str,
    documents: Sequence[RetrievedChunk],
    grades: Mapping[str, Grade],  # noqa: ARG001
    reader: CollectionReader,
) -> list[Passage]:
    """Passages numbered from 1, the most promising first; spans in reading order."""
    documents = _without_overlaps(documents)
    if not documents:
        return []
    asked = analyse(question)
    sources = sources_of(documents)
    strips = strips_of(sources)
    measured = measure(asked, sources, strips, term_weights(asked.terms, reader), reader.embedder)
    chosen = _choose(measured, asked)
    best = {
        number: max(measured[i].probability for i in chosen if strips[i].source == number)
        for number in {strips[i].source for i in chosen}
    }
    ranked = sorted(best, key=lambda number: -best[number])
    return [
        _passage(
            place,
            documents[number],
            [measured[i] for i in sorted(chosen) if strips[i].source == number],
        )
        for place, number in enumerate(ranked, start=1)
    ]


def sources_of(documents: Sequence[RetrievedChunk]) -> list[Source]:
    return [
        Source(chunk["text"], f"{chunk['title'] or ''} {chunk['heading']}", chunk["start_char"])
        for chunk in documents
    ]


def _without_overlaps(documents: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
    """A chunk whose text is already there word for word adds nothing but length."""
    seen: set[str] = set()
    kept = []
    for chunk in documents:
        words = " ".join(chunk["text"].split())
        if words and words not in seen:
            seen.add(words)
            kept.append(chunk)
    return kept


def _choose(measured: Sequence[Measured], asked: Question) -> set[int]:
    """Indices of the strips kept: what defines or lists the things asked about, then the
    likeliest, each with what it leans on.
    """
    strips = [item.strip for item in measured]
    length = sum(len(strip.text) for strip in strips)
    order = sorted(evidence(strips) or range(len(strips)), key=lambda i: -measured[i].probability)
    if (definition := asked.definition) is not None:
        order.sort(key=lambda i: -definition.said_in(strips[i].text))
    listed = listing(asked, measured)
    order = list(dict.fromkeys([*listed, *order]))
    # After the two likeliest, each chunk's best: a second source may contradict the first.
    firsts = {strips[i].source: i for i in reversed(order)}.values()
    order = list(dict.fromkeys([*listed, *order[:2], *firsts, *order]))
    chosen: set[int] = set()
    used = 0
    least = SMALL if asked.predicate else 0
    for i in order:
        budget = max(least, (LISTED_SHARE if i in listed else KEPT_SHARE) * length)
        under = heading(strips, i)
        whole = {i, *leans_on(strips, i)}
        headed = whole if under is None else {*whole, under}
        for needed in ({*headed, *follows(strips, i)}, headed, whole, {i}):
            addition = needed - chosen
            cost = sum(len(strips[j].text) for j in addition)
            if addition and (not chosen or used + cost <= budget):
                chosen |= addition
                used += cost
                break
    return chosen


def _passage(number: int, chunk: RetrievedChunk, kept: Sequence[Measured]) -> Passage:
    return {
        "number": number,
        "chunk_id": chunk["chunk_id"],
        "source": chunk["source"],
        "title": chunk["title"],
        "heading": chunk["heading"],
        "page": chunk["page"],
        "start_char": chunk["start_char"],
        "end_char": chunk["end_char"],
        "spans": _spans(chunk, kept),
    }


def _spans(chunk: RetrievedChunk, kept: Sequence[Measured]) -> list[Span]:
    """Sentences with only blanks between them become one span; what has no full stop (a title,
    a row, a verse) stays by itself, or it would be read into the next.
    """
    ranges: list[tuple[int, int, float]] = []
    before = ""
    for item in kept:
        start = item.strip.start_char - chunk["start_char"]
        end = item.strip.end_char - chunk["start_char"]
        between = chunk["text"][ranges[-1][1] : start] if ranges else "|"
        if not between.strip() and (
            "\n" not in between or _ENDS.search(before) or before.lstrip().startswith("#")
        ):
            ranges[-1] = (ranges[-1][0], end, max(ranges[-1][2], item.probability))
        else:
            ranges.append((start, end, item.probability))
        before = item.strip.text
    return [
        {
            "start_char": chunk["start_char"] + start,
            "end_char": chunk["start_char"] + end,
            "start_line": chunk["start_line"] + chunk["text"].count("\n", 0, start),
            "end_line": chunk["start_line"] + chunk["text"].count("\n", 0, end),
            "text": chunk["text"][start:end],
            "score": score,
        }
        for start, end, score in ranges
    ]
