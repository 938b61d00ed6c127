"""Reading a collection: hybrid search on one snapshot of the catalog."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from rag.embed.protocol import Embedder, Vectors
from rag.index import chunk_rows, collection_rows, exact, visible_documents
from rag.index.candidates import Candidates
from rag.index.catalog import catalog_path, connect, file_of, mapped_errors, reading
from rag.index.catalog_legs import CatalogLegs
from rag.index.codec import chunk_key, decode_vectors, encode_path
from rag.index.collection_language import reading_for
from rag.index.collection_rows import CollectionRow
from rag.index.dense import DenseLeg
from rag.index.document_seal import note_damage
from rag.index.hybrid import candidates
from rag.index.inflected_forms import Forms
from rag.index.language import in_use
from rag.index.lock import lock_path
from rag.index.protocol import IndexedDocument, Notice
from rag.index.similar_terms import Spellings
from rag.index.texts import TextDamagedError, Texts
from rag.index.vector_place import VectorPlace
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def open_collection(
    home: Path,
    name: str,
    embedder: Embedder,
    *,
    notice: Notice = lambda _line: None,
    exact_chunks: int = 0,
    files: GitIgnoreSpec | None = None,
) -> Collection:
    """The collection of this name, for reading. `notice` as in `open_writer`; one of up to
    `exact_chunks` is searched without opening Chroma. Where `files` are given, only the
    documents whose sources match are found.

    Raises:
        NoIndexError: nothing was ingested.
        UsageError: there is no collection of this name; names the nearest.
        EmbedderMismatchError: it was embedded by another embedder.
    """
    connection = connect(home)
    try:
        with mapped_errors(catalog_path(home)):
            row = collection_rows.require(connection, name)
            collection_rows.check_embedder(row, embedder.identity)
            return Collection(home, connection, row, embedder, notice, exact_chunks, files)
    except BaseException:
        connection.close()
        raise


class Collection:
    """A `CollectionReader`; every call sees one moment of the catalog, never half a write."""

    def __init__(
        self,
        home: Path,
        connection: sqlite3.Connection,
        row: CollectionRow,
        embedder: Embedder,
        notice: Notice,
        exact_chunks: int,
        files: GitIgnoreSpec | None = None,
    ) -> None:
        self._home = home
        self._path = catalog_path(home)
        self._embedder = embedder
        self._notice = notice
        self._exact_chunks = exact_chunks
        self._files = files
        # Graph nodes may run on threads; a connection has one transaction at a time.
        self._lock = RLock()
        self._adopt(connection, row)

    def _adopt(self, connection: sqlite3.Connection, row: CollectionRow) -> None:
        """Read this one from here on."""
        self._file = file_of(self._path)
        self._connection = connection
        self._row = row
        place = VectorPlace(self._home, row.id, row.uid, row.embedder)
        lock = lock_path(self._home, row.name)
        self._dense = DenseLeg(place, lock, self._notice, self._exact_chunks)
        self._legs = CatalogLegs(connection, row.id, self._dense, self._files)
        self._forms = Forms(self._legs)
        self._spellings = Spellings(self._legs)
        self._revision: tuple[int] | None = None
        self._found: dict[tuple[str, int, str], list[RetrievedChunk]] = {}

    @property
    def name(self) -> str:
        return self._row.name

    @property
    def embedder(self) -> Embedder:
        return self._embedder

    @property
    def chunk_count(self) -> int:
        return self._totals()[1]

    @property
    def document_count(self) -> int:
        with self._moment():
            self._forget_old()
            return self._legs.document_count

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        with self._moment():
            self._forget_old()
        # Of one question several nodes need what it finds.
        with reading_for(self, query):
            asked = (query, k, in_use())
            found = self._found.get(asked)
            if found is None:
                found = self.candidates(query, k).best(k)
                self._found = {asked: found}
        return [chunk.copy() for chunk in found]

    def candidates(self, query: str, k: int) -> Candidates:
        """What `search` ranks: at least the `k` best are among them."""
        vector = self._embedder.embed_query(query)
        with self.snapshot(), reading_for(self, query):
            self._forget_old()
            return candidates(self._legs, self._forms, query, vector, k)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything read inside is of the same moment, however many calls it takes."""
        with self._lock:
            self._follow()
            with mapped_errors(self._path):
                self._dense.prepare(self._connection)
            with self._moment():
                yield

    def _follow(self) -> None:
        """Opens the collection of this name again, where it was deleted and made anew under this
        reader; does nothing inside a transaction.

        Raises:
            NoIndexError: it was deleted.
            EmbedderMismatchError: the new one was embedded by another embedder.
        """
        if self._connection.in_transaction:
            return
        with mapped_errors(self._path):
            known = self._connection.execute(
                "SELECT 1 FROM collections WHERE id = ? AND uid = ?", (self._row.id, self._row.uid)
            ).fetchone()
        if known and file_of(self._path) == self._file:
            return
        connection = connect(self._home)
        try:
            with mapped_errors(self._path):
                row = collection_rows.require_again(connection, self._row.name)
                collection_rows.check_embedder(row, self._embedder.identity)
        except BaseException:
            connection.close()
            raise
        self.close()
        self._adopt(connection, row)
        self._notice(f"The collection {row.name!r} was deleted and made anew; reading the new one.")

    @contextmanager
    def _moment(self) -> Iterator[None]:
        try:
            with self._lock:
                self._follow()
            with self._lock, mapped_errors(self._path), reading(self._connection):
                yield
        except TextDamagedError as error:
            note_damage(self._path.parent, error.document_id)
            raise

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        with self._moment():
            self._forget_old()
            return self._forms.frequencies(terms)

    def similar_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        with self._moment():
            self._forget_old()
            return self._spellings.near(word)[:limit]

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        with self._moment():
            rows = [
                chunk_rows.number_of(self._connection, self._row.id, chunk_key(identifier))
                for identifier in chunk_ids
            ]
            stored = exact.stored_vectors(
                self._connection, [row for row in rows if row is not None]
            )
        result = np.zeros((len(rows), self._row.embedder.dimension), dtype=np.float32)
        for index, row in enumerate(rows):
            if row is not None and row in stored:
                result[index] = decode_vectors([stored[row]], result.shape[1])[0]
        return result

    def document_text(self, source: str, start: int = 0, end: int | None = None) -> str | None:
        with self._moment():
            row = self._connection.execute(
                "SELECT id, characters FROM documents"
                " WHERE collection_id = ? AND source = ? AND visible = 1",
                (self._row.id, encode_path(source)),
            ).fetchone()
            if row is None:
                return None
            document, characters = row
            last = characters if end is None else min(end, characters)
            return Texts(self._connection).span(document, start, last)

    def document(self, source: str) -> IndexedDocument | None:
        with self._lock, mapped_errors(self._path):
            found = visible_documents.every(self._connection, self._row.id, source)
        return found[0] if found else None

    def close(self) -> None:
        with self._lock:
            self._dense.close()
            self._connection.close()

    def _totals(self) -> tuple[int, int]:
        with self._moment():
            self._forget_old()
            return self._legs.totals()

    def _forget_old(self) -> None:
        """Drops what was counted before the last write; inside a snapshot."""
        found = self._connection.execute(
            "SELECT revision FROM collections WHERE id = ?", (self._row.id,)
        ).fetchone()
        if found != self._revision:
            self._revision = found
            self._found = {}
            self._legs.forget()
            self._forms.forget()
            self._spellings.forget()
