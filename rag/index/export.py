"""A collection of the catalog as it can be copied whole: documents, chunks and vectors."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index import collection_rows, file_rows, visible_documents
from rag.index.codec import chunk_id_of, decode_path, decode_vectors
from rag.index.collection_rows import CollectionRow
from rag.index.protocol import DocumentPart, IndexedDocument, UnreadFile
from rag.index.texts import Texts
from state.block_codec import decode_blocks
from state.documents import Chunk

PART_CHUNKS = 200


class Export(Protocol):
    """One moment of a collection."""

    @property
    def uid(self) -> str:
        """Tells the collection and its copies from another of the same name."""

    @property
    def embedder(self) -> EmbedderIdentity: ...

    def roots(self) -> dict[str, str]:
        """The ingested folders with their options."""

    def unread(self) -> list[UnreadFile]: ...

    def digests(self) -> dict[str, str]:
        """Of every document, by source: its counts, and a hash of its chunks and vectors that is
        the same in every store; in the order in which they were written.
        """

    def document(self, source: str) -> IndexedDocument: ...

    def parts(self, document: IndexedDocument) -> Iterator[DocumentPart]: ...


class CatalogExport:
    """An `Export`, inside one snapshot; made by `LocalStore.export`."""

    def __init__(self, connection: sqlite3.Connection, row: CollectionRow) -> None:
        self._connection = connection
        self._row = row

    @property
    def uid(self) -> str:
        return self._row.uid

    @property
    def embedder(self) -> EmbedderIdentity:
        return self._row.embedder

    def roots(self) -> dict[str, str]:
        return collection_rows.roots(self._connection, self._row)

    def unread(self) -> list[UnreadFile]:
        return file_rows.unread(self._connection, self._row.id)

    def digests(self) -> dict[str, str]:
        found = {}
        for number, source, content, characters in self._connection.execute(
            "SELECT id, source, content_hash, characters FROM documents"
            " WHERE collection_id = ? AND visible = 1 ORDER BY id",
            (self._row.id,),
        ).fetchall():
            chunks, digest = 0, hashlib.sha256()
            for key, vector in self._connection.execute(
                "SELECT key, vector FROM chunks JOIN vectors ON vectors.chunk_id = chunks.id"
                " WHERE document_id = ? ORDER BY chunks.id",
                (number,),
            ):
                chunks += 1
                digest.update(key.to_bytes(8, "big", signed=True))
                digest.update(np.frombuffer(vector, "<f2").astype(">f2").tobytes())
            found[decode_path(source)] = digest_of(content, characters, chunks, digest.hexdigest())
        return found

    def document(self, source: str) -> IndexedDocument:
        (found,) = visible_documents.every(self._connection, self._row.id, source)
        return found

    def parts(self, document: IndexedDocument) -> Iterator[DocumentPart]:
        number = visible_documents.number_of(self._connection, self._row.id, document.source)
        assert number is not None
        dimension = self._row.embedder.dimension
        texts = Texts(self._connection)
        rows = self._connection.execute(
            "SELECT key, page, start_line, end_line, start_char, end_char, heading, blocks, vector"
            " FROM chunks JOIN vectors ON vectors.chunk_id = chunks.id WHERE document_id = ?"
            " ORDER BY chunks.id",
            (number,),
        )
        position = 0
        while some := rows.fetchmany(PART_CHUNKS):
            last = len(some) < PART_CHUNKS
            end = document.characters if last else max(position, *(row[5] for row in some))
            chunks = [
                Chunk(
                    chunk_id_of(key), document.source, document.title, page, first, final, start,
                    stop, texts.span(number, start, stop), heading,
                    tuple(decode_blocks(blocks, start)) if blocks else (),
                )
                for key, page, first, final, start, stop, heading, blocks, _ in some
            ]  # fmt: skip
            vectors = decode_vectors([row[-1] for row in some], dimension)
            yield DocumentPart(texts.span(number, position, end), chunks, vectors)
            position = end
        if position < document.characters:
            rest = texts.span(number, position, document.characters)
            yield DocumentPart(rest, [], no_vectors(dimension))


def digest_of(content: str, characters: int, chunks: int, digest: str) -> str:
    return f"{content}/{characters}/{chunks}/{digest}"


def no_vectors(dimension: int) -> Vectors:
    return np.zeros((0, dimension), dtype=np.float32)
