"""Writing a collection of the catalog: small documents in groups, large ones in stretches.

A group of small documents is one transaction. A document too large for one is written out
of sight, stretch by stretch, and shown by its last: memory stays bounded, no transaction
waits for an embedder, and a killed process leaves only invisible rows, which the next writer
removes.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index import collection_rows, contents
from rag.index.codec import (
    BLOCK_CHARACTERS,
    blocks_of,
    decode_vectors,
    encode_label,
    encode_path,
    text_hash,
)
from rag.index.collection_rows import CollectionRow, check_embedder
from rag.index.collection_writer import GROUP_CHARACTERS, GROUP_CHUNKS, CollectionWriter
from rag.index.document_rows import DocumentRows
from rag.index.document_seal import is_damaged
from rag.index.feeder import VectorFeeder
from rag.index.protocol import DocumentPart, IndexedDocument, Notice, UnreadFile
from rag.index.terms import TERMS_VERSION
from state.sqlite_file import transaction

_GROUP_SECONDS = 2.0
_VACUUM_PAGES = 20_000


def prepared(
    connection: sqlite3.Connection,
    name: str,
    embedder: EmbedderIdentity,
    uid: str | None,
    notice: Notice,
) -> CollectionRow:
    """The collection of this name, created if need be, as a writer can go on with it."""
    with transaction(connection):
        row = collection_rows.find(connection, name)
        if row is None:
            return collection_rows.create(connection, name, embedder, uid)
        check_embedder(name, row.embedder, embedder)
        rows = DocumentRows(connection, row.id)
        if row.terms_version != TERMS_VERSION:
            notice("The lexical index is of another version or damaged; building it again.")
            rows.rebuild_lexical()
        rows.delete_hidden()
    return row


class CatalogWriter(CollectionWriter):
    """A `CollectionWriter` on the catalog; opened by `LocalStore`."""

    def __init__(
        self, connection: sqlite3.Connection, row: CollectionRow, feeder: VectorFeeder
    ) -> None:
        super().__init__(connection, row)
        self._connection = connection
        self._feeder = feeder
        self._rows = DocumentRows(connection, row.id)
        self._staging = _Staging(connection, row.id, feeder.committed)

    def totals(self) -> tuple[int, int]:
        self.flush()
        documents, chunks, _ = contents.totals(self._connection, self._row.id)
        return documents, chunks

    def set_root(self, path: str, options: str) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO roots VALUES (?, ?, ?, ?)",
            (self._row.id, encode_path(path), options, time.time()),
        )

    def expect(self, chunks: int) -> None:
        self._feeder.expect(chunks)

    def put(self, document: IndexedDocument, parts: Iterable[DocumentPart]) -> None:
        self._staging.put(document, parts)

    def remove(self, sources: Iterable[str]) -> int:
        self.flush()
        removed = 0
        with transaction(self._connection):
            for source in sources:
                number = self._document_id(source)
                if number is not None:
                    self._rows.delete(number)
                    removed += 1
            if removed:
                collection_rows.mark_changed(self._connection, self._row.id)
        return removed

    def rename(self, old_source: str, document: IndexedDocument) -> bool:
        self.flush()
        number = self._document_id(old_source)
        if number is None or is_damaged(self._connection, number):
            return False
        if document.source != old_source and self._document_id(document.source) is not None:
            return False
        with transaction(self._connection):
            self._rows.rename(number, document)
            collection_rows.mark_changed(self._connection, self._row.id)
        return True

    def set_unread(self, files: Iterable[UnreadFile], forget: Iterable[str] = ()) -> None:
        own = self._row.id
        rows = [
            (own, encode_path(each.path), *each.stat, encode_label(each.reason), each.failed)
            for each in files
        ]
        with transaction(self._connection):
            self._connection.executemany(
                "DELETE FROM unread WHERE collection_id = ? AND path = ?",
                ((own, encode_path(path)) for path in forget),
            )
            self._connection.executemany(
                "INSERT OR REPLACE INTO unread VALUES (?, ?, ?, ?, ?, ?, ?)", rows
            )

    def vectors_for(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        found: dict[str, Vectors] = {}
        for text in texts:
            row = self._connection.execute(
                "SELECT vectors.vector FROM vectors"
                " CROSS JOIN chunks ON chunks.id = vectors.chunk_id"
                " CROSS JOIN documents ON documents.id = chunks.document_id"
                " WHERE vectors.text_hash = ? AND documents.collection_id = ? LIMIT 1",
                (text_hash(text), self._row.id),
            ).fetchone()
            if row is not None:
                found[text] = decode_vectors([row[0]], self._row.embedder.dimension)[0]
        return found

    def flush(self) -> None:
        self._staging.commit()

    def close(self, *, interrupted: bool) -> None:
        try:
            self.flush()
            self._seal_lexical()
            # Pages of removed documents go back to the disk, a bounded number at a time.
            self._connection.execute(f"PRAGMA incremental_vacuum({_VACUUM_PAGES})").fetchall()
        finally:
            self._feeder.close(interrupted=interrupted)

    def _seal_lexical(self) -> None:
        with transaction(self._connection):
            row = collection_rows.find(self._connection, self._row.name)
            assert row is not None
            if row.terms_version != TERMS_VERSION:
                self._rows.rebuild_lexical()
        with transaction(self._connection):
            self._rows.lexical.seal()

    def _document_id(self, source: str) -> int | None:
        return contents.number_of(self._connection, self._row.id, source)


@dataclass(slots=True)
class _Staged:
    document: IndexedDocument
    parts: list[DocumentPart] = field(default_factory=list)
    whole: bool = False
    row: int | None = None
    start: int = 0
    tail: str = ""


class _Staging:
    """The documents put and not yet committed, of one collection."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        collection_id: int,
        committed: Callable[[int], None],
    ) -> None:
        """`committed` is told how many chunks a commit wrote."""
        self._connection = connection
        self._collection_id = collection_id
        self._rows = DocumentRows(connection, collection_id)
        self._committed = committed
        self._waiting: list[_Staged] = []
        self._chunks = 0
        self._characters = 0
        self._since = 0.0

    def put(self, document: IndexedDocument, parts: Iterable[DocumentPart]) -> None:
        staged = _Staged(document)
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting.append(staged)
        try:
            for part in parts:
                staged.parts.append(part)
                self._chunks += len(part.chunks)
                self._characters += len(part.text)
                if self._chunks >= GROUP_CHUNKS or self._characters >= GROUP_CHARACTERS:
                    self.commit()
        except BaseException:
            self._abandon(staged)
            raise
        staged.whole = True
        if time.monotonic() - self._since > _GROUP_SECONDS:
            self.commit()

    def commit(self) -> None:
        """Writes what waits; whole documents become visible together."""
        if not self._waiting:
            return
        rows = [staged.row for staged in self._waiting]
        try:
            with transaction(self._connection):
                for staged in self._waiting:
                    self._write(staged)
                if any(staged.whole for staged in self._waiting):
                    collection_rows.mark_changed(self._connection, self._collection_id)
        except BaseException:
            # Rolled back (a full disk, Ctrl-C): what waited is read again by the next ingest.
            for staged, row in zip(self._waiting, rows, strict=True):
                staged.row = row
            self._waiting.clear()
            raise
        for staged in self._waiting:
            staged.parts.clear()
        self._waiting = [staged for staged in self._waiting if not staged.whole]
        self._committed(self._chunks)
        self._chunks = self._characters = 0
        self._since = time.monotonic()

    def _write(self, staged: _Staged) -> None:
        document = staged.document
        if staged.row is None:
            staged.row = self._rows.insert_hidden(document)
        for part in staged.parts:
            self._rows.insert_chunks(staged.row, document.title, part)
        texts = [staged.tail, *(part.text for part in staged.parts)]
        blocks = list(blocks_of(texts))
        self._rows.store_blocks(staged.row, staged.start, blocks)
        # The last block may still grow; what it holds now is stored nevertheless, so that
        # the terms of every stored chunk can be found again.
        staged.tail = blocks.pop() if blocks and len(blocks[-1]) < BLOCK_CHARACTERS else ""
        staged.start += BLOCK_CHARACTERS * len(blocks)
        if staged.whole:
            self._rows.show(staged.row)

    def _abandon(self, staged: _Staged) -> None:
        if staged in self._waiting:
            self._waiting.remove(staged)
        if staged.row is not None:
            with transaction(self._connection):
                self._rows.delete(staged.row)
