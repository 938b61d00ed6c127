"""Chunks as rows: back to text, to what a query retrieved, to what is spelt in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from rag.index.catalog import rows_of_many
from rag.index.codec import chunk_id_of, decode_path
from rag.index.texts import TextDamagedError, Texts
from rag.text.blocks import blocks_of_text
from state.block_codec import decode_blocks
from state.passages import RetrievedChunk, block_spans

_COLUMNS = (
    "chunks.id, chunks.key, chunks.document_id, documents.source, documents.title,"
    " chunks.heading, chunks.page, chunks.start_line, chunks.end_line, chunks.start_char,"
    " chunks.end_char, chunks.blocks"
)
# CROSS JOIN: SQLite must begin at the chunks named; it would walk every document otherwise.


def visible(connection: sqlite3.Connection, collection_id: int, numbers: Sequence[int]) -> set[int]:
    """Those of the chunks that a reader may see; a vector store may know others."""
    query = (
        "SELECT chunks.id FROM chunks CROSS JOIN documents ON documents.id = chunks.document_id"
        " WHERE documents.visible = 1 AND documents.collection_id = ? AND chunks.id IN ({some})"
    )
    return {row for (row,) in rows_of_many(connection, query, numbers, collection_id)}


def of_documents(connection: sqlite3.Connection, documents: str) -> set[int]:
    """The rows of the chunks of those documents whose ids are in a JSON list."""
    rows = connection.execute(
        "SELECT id FROM chunks WHERE document_id IN (SELECT value FROM json_each(?))", (documents,)
    )
    return {row[0] for row in rows}


def vectors(
    connection: sqlite3.Connection, collection_id: int, keys: Sequence[int]
) -> dict[int, bytes]:
    """What is stored of the chunks of these keys, the integers of their ids."""
    query = (
        "SELECT chunks.key, vectors.vector FROM chunks"
        " CROSS JOIN documents ON documents.id = chunks.document_id"
        " CROSS JOIN vectors ON vectors.chunk_id = chunks.id"
        " WHERE documents.visible = 1 AND documents.collection_id = ? AND chunks.key IN ({some})"
    )
    return dict(rows_of_many(connection, query, keys, collection_id))


def read(
    connection: sqlite3.Connection, texts: Texts, numbers: Sequence[int]
) -> dict[int, RetrievedChunk]:
    """The chunks by row, not scored yet."""
    query = (
        f"SELECT {_COLUMNS} FROM chunks CROSS JOIN documents ON documents.id = chunks.document_id"
        " WHERE chunks.id IN ({some})"
    )
    rows = rows_of_many(connection, query, numbers)
    return {row[0]: _chunk(texts, row) for row in rows}


def _chunk(texts: Texts, row: tuple[Any, ...]) -> RetrievedChunk:
    _, key, document, source, *rest = row
    text = texts.span(document, *rest[-3:-1])
    try:
        return retrieved(text, key, source, *rest)
    except ValueError:
        raise TextDamagedError(document, decode_path(source)) from None


def retrieved(text: str, key: int, source: bytes, *rest: Any) -> RetrievedChunk:
    """A chunk as a search gives it, not scored yet; `rest` are the _COLUMNS behind its source.

    Raises:
        ValueError: `blocks` is not what was written.
    """
    title, heading, page, first_line, last_line, start, end, blocks = rest
    known = decode_blocks(blocks, start) if blocks else blocks_of_text(text, base=start)
    return {
        "chunk_id": chunk_id_of(key),
        "source": decode_path(source),
        "title": title,
        "heading": heading,
        "page": page,
        "start_line": first_line,
        "end_line": last_line,
        "start_char": start,
        "end_char": end,
        "text": text,
        "blocks": block_spans(known),
        "score": 0.0,
        "dense_rank": None,
        "lexical_rank": None,
        "cosine": None,
        "bm25": None,
        "loop": 0,
    }
