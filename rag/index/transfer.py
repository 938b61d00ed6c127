"""Copying a collection between stores as it is: documents, chunks and vectors, without embedding
anything again.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.embed.protocol import Vectors
from rag.index.chunk_rows import Texts
from rag.index.codec import chunk_id_of, decode_path, decode_vectors
from rag.index.collection_rows import CollectionRow
from rag.index.contents import Contents, Sql
from rag.index.protocol import DocumentPart, IndexedDocument, Notice
from state.block_codec import decode_blocks
from state.documents import Chunk
from state.errors import StorageError, UsageError

if TYPE_CHECKING:
    from rag.index.collection_store import Store

_UID = re.compile(r"[0-9a-f]{32}")
PART_CHUNKS = 200
CHUNK_COLUMNS = "key, page, start_line, end_line, start_char, end_char, heading, blocks, anchor"
ExportedChunk = tuple[Sequence[Any], str, Vectors]
"""A row that begins with CHUNK_COLUMNS, its text, and its vector."""


@dataclass(frozen=True, slots=True)
class Transferred:
    """What a copy took: documents that were `sent`, `removed` there and `unchanged`."""

    documents: int
    sent: int
    removed: int

    @property
    def unchanged(self) -> int:
        return self.documents - self.sent


def transfer(
    source: Store,
    target: Store,
    name: str,
    *,
    places: bool,
    may_remove: Callable[[int], None],
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    notice: Notice = lambda _line: None,
) -> Transferred:
    """Make the collection of this name in `target` equal to that in `source`, and verify it. What
    is there already is not sent again, so a copy that was interrupted goes on.

    `places`: whether the paths of files go along; elsewhere they mean nothing. `may_remove` is
    asked, with how many, before documents are removed that `source` does not have: it raises
    where they should stay. `progress` learns how many documents of how many are done.

    Raises:
        UsageError: there is no such collection, or the name is another collection's in `target`.
        StorageError: what is there in the end is not what was sent.
    """
    with source.export(name) as given:
        if not _UID.fullmatch(given.uid):
            raise StorageError(f"The collection {name!r} has no proper identity ({given.uid!r}).")
        wanted = given.digests()
        with target.open_writer(name, given.embedder, uid=given.uid, notice=notice) as writer:
            if writer.uid != given.uid:
                raise UsageError(
                    f"There is another collection {name!r} there already.",
                    "Delete one of the two, or ingest into another name with -c NAME.",
                )
            with target.export(name) as held:
                there = held.digests()
            if gone := sorted(there.keys() - wanted.keys()):
                may_remove(len(gone))
            missing = [each for each, digest in wanted.items() if there.get(each) != digest]
            for done, each in enumerate(missing):
                progress(len(wanted) - len(missing) + done, len(wanted))
                document = given.document(each)
                assert document is not None
                parts = given.parts(document)
                if not places:
                    document = replace(document, path=None, root=None)
                writer.put(document, parts)
            removed = writer.remove(gone)
            if places:
                for path, options in given.roots().items():
                    writer.set_root(path, options)
                writer.set_unread(given.unread())
            writer.flush()
            with target.export(name) as held:
                there = held.digests()
            differing = sum(there.get(each) != digest for each, digest in wanted.items())
            if differing:
                raise StorageError(
                    f"{differing} documents of {name!r} are not what was sent.", "Run it again."
                )
    progress(len(wanted), len(wanted))
    return Transferred(len(wanted), len(missing), removed)


class Export(Contents, ABC):
    """One moment of a collection."""

    def __init__(self, sql: Sql, row: CollectionRow) -> None:
        super().__init__(sql, row.id)
        self.uid = row.uid
        self.embedder = row.embedder

    @abstractmethod
    def digests(self) -> dict[str, str]:
        """Of every document, by source: its counts, and a hash of its chunks and vectors that is
        the same in every store; in the order in which they were written.
        """

    def parts(self, document: IndexedDocument) -> Iterator[DocumentPart]:
        nothing = np.zeros((0, self.embedder.dimension), dtype=np.float32)
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
            " WHERE collection_id = ? ORDER BY id",
            (self._collection_id,),
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
            vectors = decode_vectors([row[-1] for row in some], self.embedder.dimension)
            yield [
                (row, texts.span(number, *row[4:6]), vector)
                for row, vector in zip(some, vectors, strict=True)
            ]

    def _number(self, source: str) -> int:
        number = self.number_of(source)
        assert number is not None
        return number


def _chunk(document: IndexedDocument, text: str, row: Sequence[Any]) -> Chunk:
    key, page, first, last, start, end, heading, blocks, anchor, *_ = row
    known = tuple(decode_blocks(blocks, start)) if blocks else ()
    return Chunk(
        chunk_id_of(key), document.source, document.title, page, first, last, start, end, text,
        heading, known, anchor,
    )  # fmt: skip


def digest_of(content: str, characters: int, chunks: int, digest: str) -> str:
    return f"{content}/{characters}/{chunks}/{digest}"
