"""Reading a collection of a shared store: the query goes there, the best chunks come back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from rag.embed.protocol import Embedder, Vectors
from rag.index.candidates import Candidates
from rag.index.codec import BLOCK_CHARACTERS, chunk_key, decode_block, encode_path
from rag.index.collection_language import reading_for
from rag.index.collection_rows import check_same_embedder, deleted, no_text
from rag.index.hybrid import candidates
from rag.index.inflected_forms import Forms
from rag.index.postgres import shared_collection_rows, shared_document_rows
from rag.index.postgres.database import Database
from rag.index.postgres.legs import PostgresLegs
from rag.index.postgres.shared_collection_rows import StoredCollection
from rag.index.protocol import IndexedDocument, Notice
from rag.index.similar_terms import Spellings
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class PostgresCollection:
    """A `CollectionReader`; every call sees one moment of the store, never half a write."""

    def __init__(
        self,
        database: Database,
        name: str,
        embedder: Embedder,
        notice: Notice,
        files: GitIgnoreSpec | None,
    ) -> None:
        """Raises as `Store.open_collection`."""
        self._database = database
        self._embedder = embedder
        self._notice = notice
        with database.reading() as db:
            self._row = shared_collection_rows.require(db, name)
            self._legs = PostgresLegs(db, self._row, files)
        check_same_embedder(name, self._row.embedder, embedder.identity)
        if not self._row.chunks:
            raise no_text(name)
        self._forms = Forms(self._legs)
        self._spellings = Spellings(self._legs)

    @property
    def name(self) -> str:
        return self._row.name

    @property
    def embedder(self) -> Embedder:
        return self._embedder

    @property
    def chunk_count(self) -> int:
        with self.snapshot() as row:
            return row.chunks

    @property
    def document_count(self) -> int:
        with self.snapshot():
            return self._legs.document_count

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        return self.candidates(query, k).best(k)

    def candidates(self, query: str, k: int) -> Candidates:
        """What `search` ranks: at least the `k` best are among them."""
        vector = self._embedder.embed_query(query)
        with self.snapshot(), reading_for(self, query):
            return candidates(self._legs, self._forms, query, vector, k)

    @contextmanager
    def snapshot(self) -> Iterator[StoredCollection]:
        """Everything read inside is of the same moment, however many calls it takes.

        Raises:
            NoIndexError: the collection was deleted.
            EmbedderMismatchError: it was made anew with another embedder.
        """
        with self._database.reading() as db:
            row = shared_collection_rows.find(db, self._row.name)
            if row is None:
                raise deleted(self._row.name)
            if row != self._row or not self._legs.reads(db):
                check_same_embedder(row.name, row.embedder, self._embedder.identity)
                if row.uid != self._row.uid:
                    self._notice(
                        f"The collection {row.name!r} was deleted and made anew; reading the"
                        " new one."
                    )
                self._row = row
                self._legs.adopt(db, row)
                self._forms.forget()
                self._spellings.forget()
            yield row

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        with self.snapshot():
            return self._forms.frequencies(terms)

    def similar_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        with self.snapshot():
            return self._spellings.near(word)[:limit]

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        keys = [chunk_key(identifier) for identifier in chunk_ids]
        with self.snapshot() as row, self._database.reading() as db:
            stored = dict(
                db.execute(
                    "SELECT key, halfvec_send(vector) FROM chunks JOIN vectors"
                    " ON vectors.collection_id = chunks.collection_id"
                    " AND vectors.chunk_id = chunks.id"
                    " WHERE chunks.collection_id = %s AND vectors.collection_id = %s"
                    " AND key = ANY(%s)",
                    (row.id, row.id, keys),
                ).fetchall()
            )
        result = np.zeros((len(keys), row.embedder.dimension), dtype=np.float32)
        for index, key in enumerate(keys):
            if key in stored:
                result[index] = shared_document_rows.received(stored[key])
        return result

    def document_text(self, source: str, start: int = 0, end: int | None = None) -> str | None:
        first = start // BLOCK_CHARACTERS
        last = None if end is None else end // BLOCK_CHARACTERS
        with self.snapshot() as row, self._database.reading() as db:
            document = db.execute(
                "SELECT id FROM documents WHERE collection_id = %s AND source = %s",
                (row.id, encode_path(source)),
            ).fetchone()
            if document is None:
                return None
            rows = db.execute(
                "SELECT data FROM blocks WHERE collection_id = %s AND document_id = %s"
                " AND number >= %s AND (%s::int IS NULL OR number <= %s) ORDER BY number",
                (row.id, document[0], first, last, last),
                binary=True,
            )
            text = "".join(decode_block(data) for (data,) in rows)
        before = first * BLOCK_CHARACTERS
        return text[start - before : None if end is None else max(end - before, 0)]

    def document(self, source: str) -> IndexedDocument | None:
        with self.snapshot() as row, self._database.reading() as db:
            found = shared_document_rows.documents(db, row.id, source)
        return found[0] if found else None

    def close(self) -> None:
        self._database.close()
