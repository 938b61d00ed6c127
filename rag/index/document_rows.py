"""Documents written as rows: filling one out of sight, showing it, removing it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from rag.index import collection_rows
from rag.index.codec import (
    block_row,
    chunk_key,
    encode_block,
    encode_label,
    encode_path,
    encode_vectors,
    text_hash,
)
from rag.index.contents import COLUMNS, place_of
from rag.index.document_seal import is_damaged, seal
from rag.index.lexical import LexicalRow, LexicalTable
from rag.index.names import store_names
from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text
from rag.index.texts import Texts
from state.block_codec import encode_blocks
from state.documents import Chunk, chunk_id


def insert_hidden(
    connection: sqlite3.Connection, collection_id: int, document: IndexedDocument
) -> int:
    """A document's row, not visible yet; returns its id."""
    cursor = connection.execute(
        f"INSERT INTO documents (collection_id, {COLUMNS})"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)",
        (
            collection_id,
            encode_path(document.source),
            *place_of(document),
            document.content_hash,
            None if document.title is None else encode_label(document.title),
            document.format,
            json.dumps(document.warnings),
            json.dumps(document.recognized),
        ),
    )
    assert cursor.lastrowid is not None
    store_names(connection, cursor.lastrowid, document.source, document.title)
    return cursor.lastrowid


def store_blocks(
    connection: sqlite3.Connection, document_id: int, start_char: int, blocks: Sequence[str]
) -> None:
    """Stores text from `start_char` on, over what was stored there before."""
    connection.executemany(
        "INSERT OR REPLACE INTO blocks (id, data) VALUES (?, ?)",
        (
            (block_row(document_id, start_char) + index, encode_block(block))
            for index, block in enumerate(blocks)
        ),
    )


def insert_chunks(
    connection: sqlite3.Connection,
    lexical: LexicalTable,
    document_id: int,
    document: IndexedDocument,
    part: DocumentPart,
) -> None:
    first = _next_chunk(connection)
    headings = [encode_label(chunk.heading) for chunk in part.chunks]
    connection.executemany(
        "INSERT INTO chunks (id, document_id, key, start_char, end_char, start_line, end_line,"
        " page, heading, blocks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                number,
                document_id,
                _key(document.source, chunk),
                chunk.start_char,
                chunk.end_char,
                chunk.start_line,
                chunk.end_line,
                chunk.page,
                heading,
                encode_blocks(chunk.blocks, chunk.start_char) if chunk.blocks else None,
            )
            for number, (chunk, heading) in enumerate(
                zip(part.chunks, headings, strict=True), first
            )
        ),
    )
    connection.executemany(
        "INSERT INTO vectors (chunk_id, text_hash, vector) VALUES (?, ?, ?)",
        (
            (number, text_hash(embedding_text(chunk)), vector)
            for number, (chunk, vector) in enumerate(
                zip(part.chunks, encode_vectors(part.vectors), strict=True), first
            )
        ),
    )
    lexical.add(
        LexicalRow(number, chunk.text, _head(document.title, heading))
        for number, (chunk, heading) in enumerate(zip(part.chunks, headings, strict=True), first)
    )
    connection.execute(
        "UPDATE documents SET chunk_count = chunk_count + ?, characters = characters + ?"
        " WHERE id = ?",
        (len(part.chunks), len(part.text), document_id),
    )


def show(
    connection: sqlite3.Connection, lexical: LexicalTable, collection_id: int, document_id: int
) -> None:
    """Makes a filled document visible in place of the one of the same source."""
    old = connection.execute(
        "SELECT old.id FROM documents AS old JOIN documents AS new ON new.id = ?"
        " WHERE old.collection_id = ? AND old.source = new.source AND old.visible = 1",
        (document_id, collection_id),
    ).fetchone()
    if old is not None:
        delete(connection, lexical, collection_id, old[0])
    connection.execute("UPDATE documents SET visible = 1 WHERE id = ?", (document_id,))
    seal(connection, document_id)


def delete(
    connection: sqlite3.Connection, lexical: LexicalTable, collection_id: int, document_id: int
) -> None:
    """Removes a document with all that hangs on it; vector stores are told to forget it. What
    the lexical index was given of a damaged one cannot be said again: its other rows are built
    again before the collection is closed.
    """
    if is_damaged(connection, document_id):
        collection_rows.forget_terms(connection, collection_id)
    else:
        lexical.remove(lexical_rows(connection, document_id))
    connection.execute(
        "INSERT OR IGNORE INTO vector_removals SELECT store.collection_id, store.store, chunks.id"
        " FROM vector_stores AS store JOIN chunks ON chunks.id <= store.synced"
        " WHERE store.collection_id = ? AND chunks.document_id = ?",
        (collection_id, document_id),
    )
    connection.execute(
        "DELETE FROM vectors WHERE chunk_id IN (SELECT id FROM chunks WHERE document_id = ?)",
        (document_id,),
    )
    connection.execute("DELETE FROM chunks WHERE document_id = ?", (document_id,))
    connection.execute(
        "DELETE FROM blocks WHERE id >= ? AND id < ?",
        (block_row(document_id, 0), block_row(document_id + 1, 0)),
    )
    connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))


def delete_all_blocks(connection: sqlite3.Connection, collection_id: int) -> None:
    """The text of a whole collection; its other rows go with the collection's own."""
    documents = connection.execute(
        "SELECT id FROM documents WHERE collection_id = ?", (collection_id,)
    ).fetchall()
    connection.executemany(
        "DELETE FROM blocks WHERE id >= ? AND id < ?",
        ((block_row(number, 0), block_row(number + 1, 0)) for (number,) in documents),
    )


def rename(
    connection: sqlite3.Connection,
    lexical: LexicalTable,
    document_id: int,
    document: IndexedDocument,
) -> None:
    """Another source, path, time and title; new chunk ids, same vectors. Not for a damaged one."""
    lexical.remove(lexical_rows(connection, document_id))
    connection.execute(
        "UPDATE documents SET source = ?, path = ?, root = ?, size = ?, mtime_ns = ?,"
        " changed_ns = ?, title = ? WHERE id = ?",
        (
            encode_path(document.source),
            *place_of(document),
            None if document.title is None else encode_label(document.title),
            document_id,
        ),
    )
    store_names(connection, document_id, document.source, document.title)
    texts = Texts(connection)
    spans = connection.execute(
        "SELECT id, start_char, end_char FROM chunks WHERE document_id = ?", (document_id,)
    ).fetchall()
    connection.executemany(
        "UPDATE chunks SET key = ? WHERE id = ?",
        (
            (chunk_key(chunk_id(document.source, start, texts.span(document_id, start, end))), row)
            for row, start, end in spans
        ),
    )
    lexical.add(lexical_rows(connection, document_id))
    seal(connection, document_id)


def lexical_rows(connection: sqlite3.Connection, document_id: int) -> Iterator[LexicalRow]:
    """What the lexical index was given of a document."""
    texts = Texts(connection)
    (title,) = connection.execute(
        "SELECT title FROM documents WHERE id = ?", (document_id,)
    ).fetchone()
    rows = connection.execute(
        "SELECT id, start_char, end_char, heading FROM chunks WHERE document_id = ? ORDER BY id",
        (document_id,),
    )
    for row, start, end, heading in rows:
        yield LexicalRow(row, texts.span(document_id, start, end), _head(title, heading))


def _next_chunk(connection: sqlite3.Connection) -> int:
    """The number that the next chunk's row would get; nobody else writes meanwhile."""
    found = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'chunks'").fetchone()
    return 1 if found is None else int(found[0]) + 1


def _key(source: str, chunk: Chunk) -> int:
    if chunk.source == source:
        return chunk_key(chunk.chunk_id)
    return chunk_key(chunk_id(source, chunk.start_char, chunk.text))


def _head(title: str | None, heading: str) -> str:
    return f"{encode_label(title)} {heading}" if title else heading
