"""Retrieved chunks refined to the excerpts that bear on the question.

Knowledge refinement of CRAG (Yan et al. 2024, section 4.4): decompose, score each part against
the question, recompose those that matter. An excerpt is a slice of its document, whole blocks,
so that what is quoted from it is what stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.evidence.asked_rows import Table, asked_rows, table_at, text_at
from rag.evidence.excerpts import Excerpt, introduced_by
from rag.evidence.ranking import RankedExcerpt, rank_excerpts
from rag.index.protocol import CollectionReader
from rag.question.parse import ParsedQuestion
from state.blocks import BlockKind
from state.passages import Passage, RetrievedChunk, Span, text_between

EXCERPTS_RANKED = 8
FAR_ABOVE = 100_000
"""Characters before a chunk in which its heading is looked for."""
_AROUND_A_TABLE = (BlockKind.HEADING, BlockKind.LEAD)
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
    if "anchor" in chunk:
        passage["anchor"] = chunk["anchor"]
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
    excerpt, table = _cut(chunk, each.measured.excerpt, question, reader)
    excerpt = _from_line_start(chunk, excerpt)
    start = excerpt.start_char - chunk["start_char"]
    first = chunk["start_line"] + chunk["text"].count("\n", 0, start)
    return {
        "start_char": excerpt.start_char,
        "end_char": excerpt.end_char,
        "start_line": first,
        "end_line": first + excerpt.text.count("\n"),
        "text": excerpt.text,
        "lead": _introduction(chunk, excerpt, table, reader),
        "blocks": list(excerpt.blocks),
        "part": part,
        "score": each.probability,
    }


def _cut(
    chunk: RetrievedChunk, excerpt: Excerpt, question: ParsedQuestion, reader: CollectionReader
) -> tuple[Excerpt, Table | None]:
    """A table with nothing but its caption around it cut to the rows that are asked for; and the
    table. Anything else as it is.
    """
    rows = [block for block in excerpt.blocks if block.kind is BlockKind.ROW]
    others = {block.kind for block in excerpt.blocks} - {*_AROUND_A_TABLE, BlockKind.ROW}
    table = None if others or not rows else table_at(chunk, rows[-1], reader)
    if table is None:
        return excerpt, None
    among = [row for row in rows if row in table.rows]
    asked = asked_rows(table, among, question, reader)
    if not asked:
        return excerpt, table
    start, end = asked[0].start_char, asked[-1].end_char
    text = text_between(chunk, start, end)
    return replace(excerpt, start_char=start, end_char=end, text=text, blocks=asked), table


def _from_line_start(chunk: RetrievedChunk, excerpt: Excerpt) -> Excerpt:
    """With the indentation of a list's item that it begins with, as the items after it have."""
    before = chunk["text"][: excerpt.start_char - chunk["start_char"]]
    indentation = before[before.rfind("\n") + 1 :]
    if excerpt.blocks[0].kind is not BlockKind.ITEM or not indentation.isspace():
        return excerpt
    start = excerpt.start_char - len(indentation)
    return replace(excerpt, start_char=start, text=indentation + excerpt.text)


def _introduction(
    chunk: RetrievedChunk, excerpt: Excerpt, table: Table | None, reader: CollectionReader
) -> str | None:
    """What introduces the excerpt and stands further up: its heading, and the line that its first
    block goes with; of a row the caption and the header.
    """
    first = excerpt.blocks[0]
    lead = ""
    if first.lead is not None and first.lead[0] < excerpt.start_char:
        lead = text_at(chunk, first.lead, reader)
    if table is not None and table.header_extent == first.lead:
        lead = "\n\n".join(filter(None, (table.caption, lead)))
    elif table is not None and table.header_extent == first.extent:
        lead = table.caption
    path = excerpt.heading.split(" > ")
    if first.kind is BlockKind.HEADING:
        path = path[:-1]
    title = (chunk["title"] or "").strip()
    path = [h for h in path if h and h != title and h not in lead and _stands(h, chunk, reader)]
    return introduced_by("\n\n".join(path), lead)


def _stands(heading: str, chunk: RetrievedChunk, reader: CollectionReader) -> bool:
    """Whether it is there as it is shown: a long one was cut, one on two lines joined."""
    start = chunk["start_char"]
    above = max(start - FAR_ABOVE, 0)
    return heading in chunk["text"] or heading in (
        reader.document_text(chunk["source"], above, start) or ""
    )
