"""What a model is given of what was found: by document, in page order, nothing twice.

The best chunks first until the tokens are full, then what stands around the best of them, and the
rest of documents that are short.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rag.index.protocol import CollectionReader
from state.passages import ContextDocument, Excerpt, Grade, RetrievedChunk, is_web
from state.tokens import count_tokens

BEST = 20
"""Chunks that are given at most before their neighbours."""
JOINED = 3
"""Of the best of them also what stands right before and behind."""
WHOLE = 12
"""Chunks of a document that is given whole."""


def context_of(
    ranked: Sequence[RetrievedChunk], reader: CollectionReader, tokens: int
) -> list[ContextDocument]:
    """`ranked`: the best first. Documents are numbered from 1 in the order of their best chunks."""
    chosen: dict[str, RetrievedChunk] = {}
    left = tokens
    for chunk in ranked[:BEST]:
        left -= _take([chunk], chosen, left, first=not chosen)
    for chunk in [each for each in ranked[:JOINED] if each["chunk_id"] in chosen]:
        if not is_web(chunk):
            left -= _take(_document(chunk, reader), chosen, left)
            left -= _take(reader.around(chunk["chunk_id"], 1, 1), chosen, left)
    order = [chunk["source"] for chunk in ranked if chunk["chunk_id"] in chosen]
    by_source: dict[str, list[RetrievedChunk]] = {source: [] for source in order}
    for chunk in chosen.values():
        by_source[chunk["source"]].append(chunk)
    return [_given(number, chunks) for number, chunks in enumerate(by_source.values(), start=1)]


def in_order(
    documents: Sequence[RetrievedChunk], grades: Mapping[str, Grade]
) -> list[RetrievedChunk]:
    """What a model graded: the relevant first, and what it graded false not at all, unless nothing
    is left. Local grades change nothing: the search's own order is better.
    """
    by_model = {each["chunk_id"]: each for each in grades.values() if each["grader"] == "model"}

    def worth(chunk: RetrievedChunk) -> int:
        grade = by_model.get(chunk["chunk_id"])
        return 1 if grade is None else 0 if grade["relevant"] else 2

    ordered = sorted(documents, key=worth)
    return [chunk for chunk in ordered if worth(chunk) < 2] or ordered


def _document(chunk: RetrievedChunk, reader: CollectionReader) -> Sequence[RetrievedChunk]:
    """The whole of it, where it is short."""
    chunks = reader.document_chunks(chunk["source"], WHOLE + 1)
    return chunks if len(chunks) <= WHOLE else []


def _take(
    chunks: Iterable[RetrievedChunk],
    chosen: dict[str, RetrievedChunk],
    left: int,
    *,
    first: bool = False,
) -> int:
    """The tokens of these chunks, which are taken all or none; the very first is taken anyway."""
    new = [chunk for chunk in chunks if chunk["chunk_id"] not in chosen]
    cost = sum(count_tokens(chunk["text"]) for chunk in new)
    if cost > left and not first:
        return 0
    chosen.update((chunk["chunk_id"], chunk) for chunk in new)
    return cost


def _given(number: int, chunks: Sequence[RetrievedChunk]) -> ContextDocument:
    in_order = sorted(chunks, key=lambda chunk: chunk["start_char"])
    given: ContextDocument = {
        "number": number,
        "source": in_order[0]["source"],
        "title": in_order[0]["title"],
        "excerpts": [_excerpt(chunk) for chunk in in_order],
    }
    if copies := chunks[0].get("also"):
        given["also"] = copies
    return given


def _excerpt(chunk: RetrievedChunk) -> Excerpt:
    return {
        "chunk_id": chunk["chunk_id"],
        "heading": chunk["heading"],
        "page": chunk["page"],
        "anchor": chunk.get("anchor"),
        "start_line": chunk["start_line"],
        "start_char": chunk["start_char"],
        "end_char": chunk["end_char"],
        "text": chunk["text"],
        "blocks": chunk["blocks"],
    }
