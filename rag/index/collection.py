"""Reading a collection: hybrid search on one snapshot of the catalog."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from rag.embed.protocol import Embedder, Vectors
from rag.index import chunk_rows, collection_rows, document_rows, exact
from rag.index.candidates import Candidates
from rag.index.catalog import catalog_path, connect, file_of, mapped_errors, reading
from rag.index.codec import chunk_key, decode_path, decode_vectors, encode_path
from rag.index.collection_rows import CollectionRow
from rag.index.coverage import rarities
from rag.index.dense import DenseLeg
from rag.index.document_seal import note_damage
from rag.index.fusion import BEGINNING, fuse
from rag.index.lexical import LexicalTable, query_terms, searched_terms
from rag.index.lock import WriteLock, lock_path
from rag.index.names import named_chunks, named_documents
from rag.index.protocol import IndexedDocument, Notice
from rag.index.spelling import Spellings
from rag.index.texts import TextDamagedError, Texts
from rag.index.vector_sync import VectorPlace
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

CANDIDATES = 100
"""What each leg brings."""

RANKED = 50
"""How many of the fused are read and ranked by their own words."""

_KEPT_FREQUENCIES = 20_000


def open_collection(
    home: Path,
    name: str,
    embedder: Embedder,
    *,
    store: str | None = None,
    notice: Notice = lambda _line: None,
    exact_chunks: int = 0,
    files: GitIgnoreSpec | None = None,
) -> Collection:
    """The collection of this name, for reading. `store` and `notice` as in `open_writer`; one of
    up to `exact_chunks` is searched without opening Chroma. Where `files` are given, only the
    documents whose sources match are found.

    One that another machine keeps on the server is copied here first (`sharing/copying.py`).

    Raises:
        NoIndexError: nothing was ingested.
        UsageError: there is no collection of this name; names the nearest.
        EmbedderMismatchError: it was embedded by another embedder.
        RemoteStoreError: the server cannot be reached, and there is nothing of its here.

    """
    if store is not None:
        from rag.index.sharing.copying import refresh_copy

        if refresh_copy(home, name, embedder.identity, store, notice):
            store = None
    connection = connect(home)
    try:
        with mapped_errors(catalog_path(home)):
            row = collection_rows.require(connection, name)
            collection_rows.check_embedder(row, embedder.identity)
            return Collection(home, connection, row, embedder, store, notice, exact_chunks, files)
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
        store: str | None,
        notice: Notice,
        exact_chunks: int,
        files: GitIgnoreSpec | None = None,
    ) -> None:
        self._home = home
        self._path = catalog_path(home)
        self._embedder = embedder
        self._store = store or ""
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
        place = VectorPlace(self._home, row.id, row.uid, row.embedder, self._store)
        lock = WriteLock(lock_path(self._home, row.name))
        self._dense = DenseLeg(place, lock, self._notice, self._exact_chunks)
        self._lexical = LexicalTable(connection, row.id)
        self._texts = Texts(connection)
        self._spellings = Spellings(connection, self._lexical, self._texts)
        self._revision: tuple[int] | None = None
        self._frequencies: dict[str, int] = {}
        self._counted: tuple[int, int] | None = None
        self._only: list[int] | None = None

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
        if self._files is None:
            return self._totals()[0]
        with self._moment():
            self._forget_old()
            self._chosen()
            return len(self._only or ())

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        return self.candidates(query, k).best(k)

    def candidates(self, query: str, k: int) -> Candidates:
        """What `search` ranks: at least the `k` best are among them."""
        vector = self._embedder.embed_query(query)
        wanted = max(CANDIDATES, k)
        with self.snapshot():
            frequencies = self._known_frequencies(query_terms(query))
            only = self._chosen()
            searched = searched_terms(frequencies)
            found = self._lexical.search(searched, wanted, only)
            shown = chunk_rows.visible(self._connection, self._row.id, [row for row, _ in found])
            lexical = {row: score for row, score in found if row in shown}
            dense = dict(self._nearest(vector, wanted, only))
            meant = self._named(query, frequencies, searched)
            rest = [row for row in (*lexical, *meant) if row not in dense]
            cosine = dense | exact.cosines(self._connection, vector, rest)
            scores = fuse(lexical, cosine)
            best = sorted(scores, key=lambda row: (-scores[row], row))[: max(RANKED, k)]
            best += [row for row in meant if row not in set(best)]
            chunks = chunk_rows.read(self._connection, self._texts, best)
            total = self.chunk_count
        lexical_ranks = {row: rank for rank, row in enumerate(lexical, 1)}
        dense_ranks = {row: rank for rank, row in enumerate(dense, 1)}
        for row, chunk in chunks.items():
            chunk["lexical_rank"] = lexical_ranks.get(row)
            chunk["dense_rank"] = dense_ranks.get(row)
        return Candidates(chunks, cosine, meant, frequencies, total)

    def _nearest(self, vector: Vectors, limit: int, only: str | None) -> list[tuple[int, float]]:
        if only is None:
            return self._dense.nearest(self._connection, vector, limit)
        return exact.nearest_of(self._connection, self._row.id, vector, limit, only)

    def _chosen(self) -> str | None:
        """The ids of the documents that may be found, as JSON; None where all may."""
        if self._files is None:
            return None
        if self._only is None:
            rows = self._connection.execute(
                "SELECT id, source FROM documents WHERE collection_id = ? AND visible = 1",
                (self._row.id,),
            )
            chosen = self._files
            self._only = [
                number for number, source in rows if chosen.match_file(decode_path(source))
            ]
        return json.dumps(self._only)

    def _named(
        self, query: str, frequencies: Mapping[str, int], searched: Sequence[str]
    ) -> dict[int, float]:
        """Chunks of the documents that the query names, with how surely they are meant; a
        document's beginning, which says what it is, a little more.
        """
        found: dict[int, float] = {}
        documents = named_documents(
            self._connection, self._row.id, self._lexical, query,
            rarities(frequencies, self.chunk_count),
        )  # fmt: skip
        for document, surely in documents.items():
            if self._only is not None and document not in self._only:
                continue
            rows = named_chunks(self._connection, self._lexical, document, searched)
            found |= dict.fromkeys(rows, surely)
            if rows:
                found[rows[0]] = surely * (1 + BEGINNING)
        return found

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
            UsageError, NoIndexError: it was deleted.
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
                row = collection_rows.require(connection, self._row.name)
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
            return self._known_frequencies(terms)

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

    def document_text(self, source: str) -> str | None:
        with self._moment():
            row = self._connection.execute(
                "SELECT id FROM documents WHERE collection_id = ? AND source = ? AND visible = 1",
                (self._row.id, encode_path(source)),
            ).fetchone()
            return None if row is None else Texts(self._connection).whole(row[0])

    def document(self, source: str) -> IndexedDocument | None:
        with self._lock, mapped_errors(self._path):
            found = document_rows.visible_documents(self._connection, self._row.id, source)
        return found[0] if found else None

    def close(self) -> None:
        with self._lock:
            self._dense.close()
            self._connection.close()

    def _known_frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        """Counting a frequent term takes longer than anything else about it."""
        self._forget_old()
        if new := [term for term in wanted if term not in self._frequencies]:
            if len(self._frequencies) > _KEPT_FREQUENCIES:
                self._frequencies.clear()
                new = list(wanted)
            self._frequencies.update(self._lexical.frequencies(new))
        return {term: self._frequencies[term] for term in wanted}

    def _totals(self) -> tuple[int, int]:
        with self._moment():
            self._forget_old()
            if self._counted is None:
                documents, chunks = self._connection.execute(
                    "SELECT count(*), coalesce(sum(chunk_count), 0) FROM documents"
                    " WHERE collection_id = ? AND visible = 1",
                    (self._row.id,),
                ).fetchone()
                self._counted = (int(documents), int(chunks))
            return self._counted

    def _forget_old(self) -> None:
        """Drops what was counted before the last write; inside a snapshot."""
        found = self._connection.execute(
            "SELECT revision FROM collections WHERE id = ?", (self._row.id,)
        ).fetchone()
        if found != self._revision:
            self._revision = found
            self._frequencies.clear()
            self._spellings.forget()
            self._counted = None
            self._only = None
