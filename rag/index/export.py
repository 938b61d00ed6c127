"""A collection of the catalog as it can be copied whole: documents, chunks and vectors."""

from __future__ import annotations

import hashlib
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index import contents
from rag.index.chunk_rows import Texts
from rag.index.codec import chunk_id_of, decode_path, decode_vectors
from rag.index.collection_rows import CollectionRow
from rag.index.contents import Contents
from rag.index.protocol import DocumentPart, IndexedDocument
from state.block_codec import decode_blocks
from state.documents import Chunk

PART_CHUNKS = 200
CHUNK_COLUMNS = "key, page, start_line, end_line, start_char, end_char, heading, blocks"
ExportedChunk = tuple[Sequence[Any], str, Vectors]
"""A row that begins with CHUNK_COLUMNS, its text, and its vector."""


class Export(Contents, ABC):
    """One moment of a collection."""

    @property
    def embedder(self) -> EmbedderIdentity:
        return self._row.embedder

    def document(self, source: str) -> IndexedDocument:
        (found,) = contents.documents(self._sql, self._row.id, source)
        return found

    @abstractmethod
    def digests(self) -> dict[str, str]:
        """Of every document, by source: its counts, and a hash of its chunks and vectors that is
        the same in every store; in the order in which they were written.
        """

    def parts(self, document: IndexedDocument) -> Iterator[DocumentPart]:
        # The text first: whoever stores chunks must be able to read them again.
        nothing = np.zeros((0, self._row.embedder.dimension), dtype=np.float32)
        for block in self._blocks(document.source):
            yield DocumentPart(block, [], nothing)
        for rows in self._chunks(document.source):
            chunks = [_chunk(document, text, row) for row, text, _ in rows]
            yield DocumentPart("", chunks, np.stack([vector for *_, vector in rows]))

    @abstractmethod
    def _blocks(self, source: str) -> Iterator[str]:
        """A document's text, in the order of its blocks."""

    @abstractmethod
    def _chunks(self, source: str) -> Iterator[list[ExportedChunk]]:
        """Its chunks in order, at most PART_CHUNKS at a time."""


class CatalogExport(Export):
    """Inside one snapshot; made by `LocalStore.export`."""

    def __init__(self, connection: sqlite3.Connection, row: CollectionRow) -> None:
        super().__init__(connection, row)
        self._connection = connection

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

    def _blocks(self, source: str) -> Iterator[str]:
        return Texts(self._connection).blocks(self._number(source))

    def _chunks(self, source: str) -> Iterator[list[ExportedChunk]]:
        number, texts = self._number(source), Texts(self._connection)
        rows = self._connection.execute(
            f"SELECT {CHUNK_COLUMNS}, vector FROM chunks JOIN vectors ON chunk_id = chunks.id"
            " WHERE document_id = ? ORDER BY chunks.id",
            (number,),
        )
        while some := rows.fetchmany(PART_CHUNKS):
            vectors = decode_vectors([row[-1] for row in some], self._row.embedder.dimension)
            yield [
                (row, texts.span(number, *row[4:6]), vector)
                for row, vector in zip(some, vectors, strict=True)
            ]

    def _number(self, source: str) -> int:
        number = contents.number_of(self._connection, self._row.id, source)
        assert number is not None
        return number


def _chunk(document: IndexedDocument, text: str, row: Sequence[Any]) -> Chunk:
    key, page, first, last, start, end, heading, blocks, *_ = row
    known = tuple(decode_blocks(blocks, start)) if blocks else ()
    return Chunk(
        chunk_id_of(key), document.source, document.title, page, first, last, start, end, text,
        heading, known,
    )  # fmt: skip


def digest_of(content: str, characters: int, chunks: int, digest: str) -> str:
    return f"{content}/{characters}/{chunks}/{digest}"
