"""Writing a collection of the catalog."""

from __future__ import annotations

import pickle
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index import collection_rows
from rag.index.codec import decode_vectors, encode_label, encode_path, text_hash
from rag.index.collection_rows import CollectionRow, check_embedder
from rag.index.collection_writer import CollectionWriter
from rag.index.document_rows import DocumentRows
from rag.index.feeder import VectorFeeder
from rag.index.protocol import DocumentPart, IndexedDocument, Notice, UnreadFile
from rag.index.terms import TERMS_VERSION
from state.errors import storage_error
from state.sqlite_file import transaction

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
        if row.terms_version != TERMS_VERSION:
            notice("The lexical index is of another version or damaged; building it again.")
            DocumentRows(connection, row.id).rebuild_lexical()
    return row


class CatalogWriter(CollectionWriter):
    """A `CollectionWriter` on the catalog; opened by `LocalStore`."""

    _group_seconds = 2.0

    def __init__(
        self, home: Path, connection: sqlite3.Connection, row: CollectionRow, feeder: VectorFeeder
    ) -> None:
        super().__init__(connection, row)
        self._home = home
        self._connection = connection
        self._feeder = feeder
        self._rows = DocumentRows(connection, row.id)

    def set_root(self, path: str, options: str) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO roots VALUES (?, ?, ?, ?)",
            (self._row.id, encode_path(path), options, time.time()),
        )

    def expect(self, chunks: int) -> None:
        self._feeder.expect(chunks)

    def _write_large(self, document: IndexedDocument, parts: Iterable[DocumentPart]) -> None:
        # Others would wait for a transaction that waits for an embedder.
        with TemporaryFile(dir=self._home) as file:
            for part in parts:
                _dump(part, file)
            file.seek(0)
            super()._write_large(document, _loaded(file))

    def _write(
        self, documents: Mapping[str, tuple[IndexedDocument, Iterable[DocumentPart]]]
    ) -> None:
        with transaction(self._connection):
            chunks = sum(self._rows.write(*each) for each in documents.values())
            collection_rows.mark_changed(self._connection, self._row.id)
        self._feeder.committed(chunks)

    def remove(self, sources: Iterable[str]) -> int:
        self.flush()
        removed = 0
        with transaction(self._connection):
            for source in sources:
                number = self.number_of(source)
                if number is not None:
                    self._rows.delete(number)
                    removed += 1
            if removed:
                collection_rows.mark_changed(self._connection, self._row.id)
        return removed

    def rename(self, old_source: str, document: IndexedDocument) -> bool:
        self.flush()
        number = self.number_of(old_source)
        if number is None:
            return False
        if document.source != old_source and self.number_of(document.source) is not None:
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

    def close(self, *, interrupted: bool) -> None:
        try:
            self.flush()
            # Pages of removed documents go back to the disk, a bounded number at a time.
            self._connection.execute(f"PRAGMA incremental_vacuum({_VACUUM_PAGES})").fetchall()
        finally:
            self._feeder.close(interrupted=interrupted)


def _dump(part: DocumentPart, file: IO[bytes]) -> None:
    try:
        pickle.dump(part, file)
    except OSError as error:
        raise storage_error(error) or error from error


def _loaded(file: IO[bytes]) -> Iterator[DocumentPart]:
    while True:
        try:
            yield pickle.load(file)  # noqa: S301 - written a moment ago, in a file without a name
        except EOFError:
            return
