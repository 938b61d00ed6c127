"""Retrieved chunks refined to the excerpts that bear on the question.

Knowledge refinement of CRAG (Yan et al. 2024, section 4.4): decompose, score each part against
the question, recompose those that matter. An excerpt is a slice of its document, whole blocks,
so that what is quoted from it is what stands there.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.evidence.excerpts import best_rows
from rag.evidence.ranking import RankedExcerpt, rank_excerpts
from rag.index.protocol import CollectionReader
from rag.question.parse import ParsedQuestion
from state.blocks import Block
from state.passages import Passage, RetrievedChunk, Span, block_spans

MOST_EXCERPTS = 8
SHOWN_TO_A_MODEL = 4
"""Excerpts in a prompt: about as much as the four best chunks hold of use, in some 900 tokens."""


def refine(
    questions: Sequence[ParsedQuestion],
    chunks: Sequence[RetrievedChunk],
    reader: CollectionReader,
    most: int,
) -> list[Passage]:
    """Passages numbered from 1, of each question the one of its likeliest excerpt first; `chunks`
    in the order in which they were found.

    Of several questions each has its excerpts, `most` of them together; what answers two of them
    is there for each.
    """
    taken = [
        (part, each)
        for part, question in enumerate(questions)
        for each in rank_excerpts(question, chunks, reader)[: max(most // len(questions), 1)]
    ]
    by_chunk: dict[int, list[tuple[int, RankedExcerpt]]] = {}
    for part, each in taken:
        by_chunk.setdefault(each.measured.excerpt.chunk, []).append((part, each))
    return [
        _passage(number, questions, chunks[place], held, reader)
        for number, (place, held) in enumerate(by_chunk.items(), start=1)
    ]


def _passage(
    number: int,
    questions: Sequence[ParsedQuestion],
    chunk: RetrievedChunk,
    held: Sequence[tuple[int, RankedExcerpt]],
    reader: CollectionReader,
) -> Passage:
    in_order = sorted(held, key=lambda pair: pair[1].measured.excerpt.start_char)
    passage: Passage = {
        "number": number,
        "chunk_id": chunk["chunk_id"],
        "source": chunk["source"],
        "title": chunk["title"],
        "heading": chunk["heading"],
        "page": chunk["page"],
        "start_char": chunk["start_char"],
        "end_char": chunk["end_char"],
        "spans": [_span(chunk, part, questions[part], each, reader) for part, each in in_order],
    }
    if "also" in chunk:
        passage["also"] = chunk["also"]
    return passage


def _span(
    chunk: RetrievedChunk,
    part: int,
    question: ParsedQuestion,
    each: RankedExcerpt,
    reader: CollectionReader,
) -> Span:
    excerpt = best_rows(each.measured.excerpt, question)
    start = excerpt.start_char - chunk["start_char"]
    first = chunk["start_line"] + chunk["text"].count("\n", 0, start)
    return {
        "start_char": excerpt.start_char,
        "end_char": excerpt.end_char,
        "start_line": first,
        "end_line": first + excerpt.text.count("\n"),
        "text": excerpt.text,
        "heading": excerpt.heading,
        "lead": _lead_from_afar(chunk, excerpt.blocks[0], excerpt.start_char, reader),
        "blocks": block_spans(excerpt.blocks),
        "part": part,
        "score": each.probability,
    }


def _lead_from_afar(
    chunk: RetrievedChunk, block: Block, start: int, reader: CollectionReader
) -> str | None:
    """What introduces the first block, unless the excerpt begins with it."""
    if block.lead is None or block.lead[0] >= start:
        return None
    first, last = block.lead
    if first >= chunk["start_char"]:
        return chunk["text"][first - chunk["start_char"] : last - chunk["start_char"]]
    text = reader.document_text(chunk["source"])
    return None if text is None else text[first:last]
