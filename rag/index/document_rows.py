"""Documents as rows: writing one, renaming it, removing it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress

from rag.index.chroma_write import note_removed
from rag.index.chunk_rows import TextDamagedError, Texts
from rag.index.codec import (
    block_row,
    blocks_of,
    chunk_key,
    encode_block,
    encode_label,
    encode_path,
    encode_vectors,
    text_hash,
)
from rag.index.contents import COLUMNS, Contents, place_of
from rag.index.lexical import LexicalRow, LexicalTable
from rag.index.names import store_names
from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text
from rag.index.terms import TERMS_VERSION
from state.block_codec import encode_blocks
from state.documents import chunk_id


class DocumentRows:
    """Those of one collection, with what is searchable of them; inside transactions of the caller,
    who holds the collection's lock.
    """

    def __init__(self, connection: sqlite3.Connection, collection_id: int) -> None:
        self._connection = connection
        self._collection_id = collection_id
        self.lexical = LexicalTable(connection, collection_id)

    def write(self, document: IndexedDocument, parts: Iterable[DocumentPart]) -> int:
        """Writes a document, in place of the one of the same source; returns its chunks' number."""
        old = Contents(self._connection, self._collection_id).number_of(document.source)
        if old is not None:
            self.delete(old)
        title = None if document.title is None else encode_label(document.title)
        number = self._connection.execute(
            f"INSERT INTO documents (collection_id, {COLUMNS})"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)",
            (
                self._collection_id,
                encode_path(document.source),
                *place_of(document),
                document.content_hash,
                title,
                document.format,
                json.dumps(document.warnings),
                json.dumps(document.recognized),
            ),
        ).lastrowid
        assert number is not None
        store_names(self._connection, number, document.source, document.title)
        chunks = characters = 0

        def texts() -> Iterator[str]:
            nonlocal chunks, characters
            for part in parts:
                self._insert_chunks(number, title, part)
                chunks += len(part.chunks)
                characters += len(part.text)
                yield part.text

        for row, block in enumerate(blocks_of(texts()), block_row(number, 0)):
            self._connection.execute(
                "INSERT INTO blocks (id, data) VALUES (?, ?)", (row, encode_block(block))
            )
        self._connection.execute(
            "UPDATE documents SET chunk_count = ?, characters = ? WHERE id = ?",
            (chunks, characters, number),
        )
        return chunks

    def _insert_chunks(self, document_id: int, title: str | None, part: DocumentPart) -> None:
        rows, vectors, searchable = [], [], []
        encoded = zip(part.chunks, encode_vectors(part.vectors), strict=True)
        for number, (chunk, vector) in enumerate(encoded, self._next_chunk()):
            heading = encode_label(chunk.heading)
            blocks = encode_blocks(chunk.blocks, chunk.start_char) if chunk.blocks else None
            place = chunk.start_char, chunk.end_char, chunk.start_line, chunk.end_line, chunk.page
            anchor = None if chunk.anchor is None else encode_label(chunk.anchor)
            key = chunk_key(chunk.chunk_id)
            rows.append((number, document_id, key, *place, heading, blocks, anchor))
            vectors.append((number, text_hash(embedding_text(chunk)), vector))
            searchable.append((number, chunk.text, _head(title, heading)))
        self._connection.executemany(
            "INSERT INTO chunks (id, document_id, key, start_char, end_char, start_line, end_line,"
            " page, heading, blocks, anchor) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        self._connection.executemany(
            "INSERT INTO vectors (chunk_id, text_hash, vector) VALUES (?, ?, ?)", vectors
        )
        self.lexical.add(searchable)

    def delete(self, document_id: int) -> None:
        """Removes a document with all that hangs on it; vector stores are told to forget it."""
        self.lexical.remove(self.searchable(document_id))
        note_removed(self._connection, self._collection_id, document_id)
        self._delete_blocks(document_id)
        self._connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))

    def delete_collection(self) -> None:
        """All of it, and the collection itself."""
        self.lexical.drop()
        for document in self._every():
            self._delete_blocks(document)
        self._connection.execute("DELETE FROM collections WHERE id = ?", (self._collection_id,))

    def rename(self, document_id: int, document: IndexedDocument) -> None:
        """Another source, path, time and title; new chunk ids, same vectors."""
        self.lexical.remove(self.searchable(document_id))
        self._connection.execute(
            "UPDATE documents SET source = ?, path = ?, root = ?, size = ?, mtime_ns = ?,"
            " changed_ns = ?, title = ? WHERE id = ?",
            (
                encode_path(document.source),
                *place_of(document),
                None if document.title is None else encode_label(document.title),
                document_id,
            ),
        )
        store_names(self._connection, document_id, document.source, document.title)
        texts = Texts(self._connection)
        spans = self._connection.execute(
            "SELECT id, start_char, end_char FROM chunks WHERE document_id = ?", (document_id,)
        ).fetchall()
        source = document.source
        self._connection.executemany(
            "UPDATE chunks SET key = ? WHERE id = ?",
            (
                (chunk_key(chunk_id(source, start, texts.span(document_id, start, end))), row)
                for row, start, end in spans
            ),
        )
        self.lexical.add(self.searchable(document_id))

    def rebuild_lexical(self) -> None:
        """Builds the lexical index from the stored text. A document whose text is damaged is not
        in it.
        """
        self.lexical.drop()
        self.lexical.create()
        for document in self._every():
            with suppress(TextDamagedError):
                self.lexical.add(self.searchable(document))
        self._connection.execute(
            "UPDATE collections SET terms_version = ? WHERE id = ?",
            (TERMS_VERSION, self._collection_id),
        )

    def searchable(self, document_id: int) -> Iterator[LexicalRow]:
        """What the lexical index was given of a document."""
        texts = Texts(self._connection)
        (title,) = self._connection.execute(
            "SELECT title FROM documents WHERE id = ?", (document_id,)
        ).fetchone()
        rows = self._connection.execute(
            "SELECT id, start_char, end_char, heading FROM chunks WHERE document_id = ?"
            " ORDER BY id",
            (document_id,),
        )
        for row, start, end, heading in rows:
            yield row, texts.span(document_id, start, end), _head(title, heading)

    def _every(self) -> list[int]:
        rows = self._connection.execute(
            "SELECT id FROM documents WHERE collection_id = ?", (self._collection_id,)
        )
        return [row for (row,) in rows.fetchall()]

    def _delete_blocks(self, document_id: int) -> None:
        self._connection.execute(
            "DELETE FROM blocks WHERE id >= ? AND id < ?",
            (block_row(document_id, 0), block_row(document_id + 1, 0)),
        )

    def _next_chunk(self) -> int:
        """The number that the next chunk's row would get; nobody else writes meanwhile."""
        found = self._connection.execute(
            "SELECT seq FROM sqlite_sequence WHERE name = 'chunks'"
        ).fetchone()
        return 1 if found is None else int(found[0]) + 1


def _head(title: str | None, heading: str) -> str:
    return f"{encode_label(title)} {heading}" if title else heading
