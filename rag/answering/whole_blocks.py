"""What a model is given to read: whole blocks of the best chunks, in reading order.

A model reads better than the local engine and is lost with slivers: a paragraph without its
heading, a row without its columns' names. So blocks are chosen by their best sentence and
given whole, each under its heading, as many as a short prompt holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.answering.evidence import measure, term_weights
from rag.answering.question import analyse
from rag.answering.refine import sources_of
from rag.answering.strips import strips_of
from rag.index.protocol import CollectionReader
from state.blocks import BlockKind
from state.grades import Grade
from state.passages import Passage, RetrievedChunk, Span

LEAST_CHUNKS = 4
"""That are shown at least, where so many may bear on the question."""
MOST_CHARACTERS = 2_800
"""Of all blocks together, but for the two best: some 800 tokens, read in seconds anywhere."""
_TOGETHER = (BlockKind.ITEM, BlockKind.ROW, BlockKind.METADATA)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Blocks that are read together; `under` is the heading above, if it is another stretch's.

    Offsets are characters of the document; `score` is that of its likeliest sentence.
    """

    chunk: int
    start_char: int
    end_char: int
    under: tuple[int, int] | None
    score: float

    def __len__(self) -> int:
        return self.end_char - self.start_char


def evidence_chunks(
    documents: Sequence[RetrievedChunk], grades: Mapping[str, Grade], *, denied_too: bool
) -> list[RetrievedChunk]:
    """The relevant chunks, then the best of the doubtful ones up to LEAST_CHUNKS in all.

    A grade that a model gave against code's doubt is doubtful itself where `denied_too`.
    """
    relevant = [c for c in documents if grades[c["chunk_id"]]["relevant"]]
    doubtful = [c for c in documents if is_doubtful(grades[c["chunk_id"]], denied_too=denied_too)]
    return [*relevant, *doubtful[: max(0, LEAST_CHUNKS - len(relevant))]]


def is_doubtful(grade: Grade, *, denied_too: bool = False) -> bool:
    """Whether a chunk was not found relevant, and not sure to be irrelevant either."""
    if grade["relevant"]:
        return False
    return grade["verdict"] == "ambiguous" or (denied_too and grade["grader"] == "model")


def whole_blocks(
    question: str, documents: Sequence[RetrievedChunk], reader: CollectionReader
) -> list[Passage]:
    """Passages numbered from 1 in the order of `documents`; what is there twice, once."""
    texts: dict[str, RetrievedChunk] = {}
    for chunk in documents:
        texts.setdefault(" ".join(chunk["text"].split()), chunk)
    chunks = [chunk for text, chunk in texts.items() if text]
    stretches = _measured(question, chunks, reader)
    chosen = _chosen(stretches, len(chunks))
    shown = [n for n in range(len(chunks)) if any(each.chunk == n for each in chosen)]
    return [
        _passage(place, chunks[n], [each for each in chosen if each.chunk == n])
        for place, n in enumerate(shown, start=1)
    ]


def _measured(
    question: str, chunks: Sequence[RetrievedChunk], reader: CollectionReader
) -> list[Stretch]:
    asked = analyse(question)
    sources = sources_of(chunks)
    strips = strips_of(sources)
    weights = term_weights(asked.terms, reader)
    measured = measure(asked, sources, strips, weights, reader.embedder)
    found: list[Stretch] = []
    for n, chunk in enumerate(chunks):
        likely = [
            (each.strip.start_char, each.strip.end_char, each.probability)
            for each in measured
            if each.strip.source == n
        ]
        for start, end, under in _stretches(chunk):
            score = max((p for s, e, p in likely if s < end and e > start), default=0.0)
            found.append(Stretch(n, start, end, under, score))
    return found


def _stretches(chunk: RetrievedChunk) -> list[tuple[int, int, tuple[int, int] | None]]:
    """(start, end, heading above) of each, in order; a heading opens the one it heads."""
    found: list[tuple[int, int, tuple[int, int] | None]] = []
    heading: tuple[int, int] | None = None
    opened = False
    last: BlockKind | None = None
    for block in chunk["blocks"]:
        kind = BlockKind(block["kind"])
        start, end = _line_start(chunk, block["start_char"]), block["end_char"]
        joins = opened or last is BlockKind.LEAD or (last in _TOGETHER and kind is last)
        if kind is BlockKind.HEADING:
            if last is BlockKind.HEADING and found:
                found[-1] = (found[-1][0], end, found[-1][2])
            else:
                found.append((start, end, None))
            heading, opened = (found[-1][0], end), True
        elif joins and found:
            found[-1] = (found[-1][0], end, found[-1][2])
            opened = False
        else:
            found.append((start, end, heading))
        last = kind
    return found


def _line_start(chunk: RetrievedChunk, at: int) -> int:
    """With the marks before it: a heading's, a quotation's."""
    base = chunk["start_char"]
    return base + chunk["text"].rfind("\n", 0, at - base) + 1


def _chosen(stretches: Sequence[Stretch], chunks: int) -> list[Stretch]:
    """The two best, each chunk's best, then whatever else fits; in reading order."""
    ranked = sorted(stretches, key=lambda each: -each.score)
    firsts = [next(s for s in ranked if s.chunk == n) for n in range(chunks) if _has(ranked, n)]
    order = dict.fromkeys([*ranked[:2], *firsts[:LEAST_CHUNKS], *ranked])
    chosen: list[Stretch] = []
    used = 0
    for each in order:
        if len(chosen) < 2 or used + len(each) <= MOST_CHARACTERS:
            chosen.append(each)
            used += len(each)
    return sorted(chosen, key=lambda each: (each.chunk, each.start_char))


def _has(stretches: Sequence[Stretch], chunk: int) -> bool:
    return any(each.chunk == chunk for each in stretches)


def _passage(number: int, chunk: RetrievedChunk, chosen: Sequence[Stretch]) -> Passage:
    base = chunk["start_char"]
    ranges: list[tuple[int, int, float]] = []
    for each in chosen:
        if each.under is not None and not any(s <= each.under[0] < e for s, e, _ in ranges):
            ranges.append((*each.under, each.score))
        between = chunk["text"][ranges[-1][1] - base : each.start_char - base] if ranges else "…"
        if not between.strip(" \n\r\t`~|-+=:"):  # nothing was left out
            ranges[-1] = (ranges[-1][0], each.end_char, max(ranges[-1][2], each.score))
        else:
            ranges.append((each.start_char, each.end_char, each.score))
    return {
        "number": number,
        "chunk_id": chunk["chunk_id"],
        "source": chunk["source"],
        "title": chunk["title"],
        "heading": chunk["heading"],
        "page": chunk["page"],
        "start_char": chunk["start_char"],
        "end_char": chunk["end_char"],
        "spans": [_span(chunk, start - base, end - base, score) for start, end, score in ranges],
    }


def _span(chunk: RetrievedChunk, start: int, end: int, score: float) -> Span:
    text = chunk["text"]
    return {
        "start_char": chunk["start_char"] + start,
        "end_char": chunk["start_char"] + end,
        "start_line": chunk["start_line"] + text.count("\n", 0, start),
        "end_line": chunk["start_line"] + text.count("\n", 0, end),
        "text": text[start:end],
        "score": score,
    }
