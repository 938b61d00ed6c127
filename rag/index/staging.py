"""Documents on their way into the catalog: small ones in groups, large ones in stretches.

A group of small documents is one transaction. A document too large for one is written out
of sight, stretch by stretch, and shown by its last: memory stays bounded, no transaction
waits for an embedder, and a killed process leaves only invisible rows, which the next writer
removes.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from rag.index import collection_rows
from rag.index.codec import BLOCK_CHARACTERS, blocks_of
from rag.index.document_rows import DocumentRows
from rag.index.protocol import DocumentPart, IndexedDocument
from state.sqlite_file import transaction

GROUP_CHUNKS = 1_000
GROUP_CHARACTERS = 4_000_000
GROUP_SECONDS = 2.0


@dataclass(slots=True)
class _Staged:
    document: IndexedDocument
    parts: list[DocumentPart] = field(default_factory=list)
    whole: bool = False
    row: int | None = None
    start: int = 0
    tail: str = ""


class Staging:
    """The documents put and not yet committed, of one collection."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        collection_id: int,
        committed: Callable[[int], None],
        catalog_lock: AbstractContextManager[Any],
    ) -> None:
        """`committed` is told how many chunks a commit wrote; `catalog_lock` is held by each."""
        self._connection = connection
        self._collection_id = collection_id
        self._rows = DocumentRows(connection, collection_id)
        self._committed = committed
        self._catalog_lock = catalog_lock
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
        if time.monotonic() - self._since > GROUP_SECONDS:
            self.commit()

    def commit(self) -> None:
        """Writes what waits; whole documents become visible together."""
        if not self._waiting:
            return
        rows = [staged.row for staged in self._waiting]
        try:
            with self._catalog_lock, transaction(self._connection):
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
