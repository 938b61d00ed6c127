"""Chunks as rows, back to what a query retrieved, and a document's text read back from its blocks,
character for character.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from rag.index.catalog import rows_of_many
from rag.index.codec import BLOCK_CHARACTERS, block_row, chunk_id_of, decode_block, decode_path
from rag.text.blocks import blocks_of_text
from state.block_codec import decode_blocks
from state.errors import DamagedError
from state.passages import RetrievedChunk

_KEPT_BLOCKS = 64
_COLUMNS = (
    "chunks.id, chunks.key, chunks.document_id, documents.source, documents.title,"
    " chunks.heading, chunks.page, chunks.start_line, chunks.end_line, chunks.start_char,"
    " chunks.end_char, chunks.anchor, chunks.blocks"
)
# CROSS JOIN: SQLite must begin at the chunks named; it would walk every document otherwise.


class TextDamagedError(DamagedError):
    """The stored text of a document cannot be read; its file must be."""

    def __init__(self, source: str) -> None:
        super().__init__(
            f"The stored text of {source!r} is damaged.",
            "Run `crag collections delete` and `crag ingest` on its folder again.",
        )


class Texts:
    """Stretches of documents' texts; keeps the blocks read last, as neighbours are near and a
    question's rewrites find much of the same. A block never changes: no document's id is used
    again.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._kept: dict[int, str] = {}

    def span(self, document_id: int, start: int, end: int) -> str:
        """`document.text[start:end]`."""
        if start >= end:
            return ""
        first = start - start % BLOCK_CHARACTERS
        blocks = [
            self._block(document_id, block_row(document_id, block_start))
            for block_start in range(first, end, BLOCK_CHARACTERS)
        ]
        return "".join(blocks)[start - first : end - first]

    def blocks(self, document_id: int) -> Iterator[str]:
        """The whole text, block by block."""
        rows = self._connection.execute(
            "SELECT data FROM blocks WHERE id >= ? AND id < ? ORDER BY id",
            (block_row(document_id, 0), block_row(document_id + 1, 0)),
        )
        return (self._decoded(document_id, row[0]) for row in rows)

    def _block(self, document_id: int, row: int) -> str:
        if row not in self._kept:
            found = self._connection.execute(
                "SELECT data FROM blocks WHERE id = ?", (row,)
            ).fetchone()
            if len(self._kept) >= _KEPT_BLOCKS:
                self._kept.pop(next(iter(self._kept)))
            self._kept[row] = self._decoded(document_id, None if found is None else found[0])
        return self._kept[row]

    def _decoded(self, document_id: int, data: bytes | None) -> str:
        try:
            if data is not None:
                return decode_block(data)
        except (zlib.error, UnicodeDecodeError, TypeError):
            pass
        (source,) = self._connection.execute(
            "SELECT source FROM documents WHERE id = ?", (document_id,)
        ).fetchone()
        raise TextDamagedError(decode_path(source))


def still_there(
    connection: sqlite3.Connection, collection_id: int, numbers: Sequence[int]
) -> set[int]:
    """Those of the chunks that the catalog has; a vector store may know others."""
    query = (
        "SELECT chunks.id FROM chunks CROSS JOIN documents ON documents.id = chunks.document_id"
        " WHERE documents.collection_id = ? AND chunks.id IN ({some})"
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
        " WHERE documents.collection_id = ? AND chunks.key IN ({some})"
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
    text = texts.span(document, *rest[-4:-2])
    try:
        return retrieved(text, key, source, *rest)
    except ValueError:
        raise TextDamagedError(decode_path(source)) from None


def retrieved(text: str, key: int, source: bytes, *rest: Any) -> RetrievedChunk:
    """A chunk as a search gives it, not scored yet; `rest` are the _COLUMNS behind its source.

    Raises:
        ValueError: `blocks` is not what was written.
    """
    title, heading, page, first_line, last_line, start, end, anchor, blocks = rest
    known = decode_blocks(blocks, start) if blocks else blocks_of_text(text, base=start)
    return {
        "chunk_id": chunk_id_of(key),
        "source": decode_path(source),
        "title": title,
        "heading": heading,
        "page": page,
        "anchor": anchor,
        "start_line": first_line,
        "end_line": last_line,
        "start_char": start,
        "end_char": end,
        "text": text,
        "blocks": known,
        "score": 0.0,
        "dense_rank": None,
        "lexical_rank": None,
        "cosine": None,
        "bm25": None,
        "loop": 0,
    }
