"""Reading a collection of either database: hybrid search over what its `Queries` answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np

from rag.embed.protocol import Embedder, Vectors
from rag.index.candidates import Candidates
from rag.index.codec import chunk_key
from rag.index.collection_rows import CollectionRow, check_embedder, no_text
from rag.index.hybrid import candidates
from rag.index.language import in_use
from rag.index.protocol import CollectionReader, DocumentOutline, IndexedDocument, Notice
from rag.index.queries import Queries
from rag.index.vocabulary import Vocabulary, reading_for
from state.passages import RetrievedChunk


class Reader(CollectionReader):
    """A `CollectionReader`; every call sees one moment of the store, never half a write."""

    _row: CollectionRow

    def __init__(self, embedder: Embedder, notice: Notice) -> None:
        self._embedder = embedder
        self._notice = notice

    def _read_from(self, row: CollectionRow, queries: Queries) -> None:
        """From here on; what was counted and found before holds no more."""
        self._row = row
        self._queries = queries
        self._vocabulary = Vocabulary(queries)
        self._found: dict[tuple[str, int, str], list[RetrievedChunk]] = {}

    def _require_text(self) -> None:
        """Raises NoIndexError where the collection has nothing to find."""
        if not self.chunk_count:
            raise no_text(self.name)

    def _may_go_on(self, row: CollectionRow) -> None:
        """Looks at what has this collection's name now.

        Raises:
            EmbedderMismatchError: it was embedded by another embedder.
        """
        check_embedder(row.name, row.embedder, self._embedder.identity)
        if row.uid != self._row.uid:
            made_anew = f"The collection {row.name!r} was deleted and made anew"
            self._notice(f"{made_anew}; reading the new one.")

    @abstractmethod
    def _moment(self) -> AbstractContextManager[None]:
        """What is read inside is of one moment; nests.

        Raises:
            NoIndexError: the collection was deleted.
            EmbedderMismatchError: it was made anew with another embedder.
        """

    def snapshot(self) -> AbstractContextManager[None]:
        """Everything read inside is of the same moment, however many calls it takes."""
        return self._moment()

    @property
    def name(self) -> str:
        return self._row.name

    @property
    def embedder(self) -> Embedder:
        return self._embedder

    @property
    def chunk_count(self) -> int:
        with self._moment():
            return self._queries.chunk_count

    @property
    def document_count(self) -> int:
        with self._moment():
            return self._queries.document_count

    @property
    def dense_searched(self) -> str:
        return self._queries.dense_searched

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        with self._moment():
            pass  # forgets what was found before a write
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
            return candidates(self._queries, self._vocabulary, query, vector, k)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        with self._moment():
            return self._vocabulary.frequencies(terms)

    def similar_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        with self._moment():
            return self._vocabulary.spelt_like(word)[:limit]

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        keys = list(map(chunk_key, chunk_ids))
        with self._moment():
            stored = self._queries.vectors(keys)
        found = np.zeros((len(keys), self._row.embedder.dimension), dtype=np.float32)
        for place, key in enumerate(keys):
            if key in stored:
                found[place] = stored[key]
        return found

    def document_text(self, source: str, start: int = 0, end: int | None = None) -> str | None:
        with self._moment():
            number = self._queries.number_of(source)
            return None if number is None else self._queries.text(number, start, end)

    def around(self, chunk_id: str, before: int, after: int) -> list[RetrievedChunk]:
        with self._moment():
            place = self._queries.place_of(chunk_key(chunk_id))
            if place is None:
                return []
            document, row = place
            rows = self._queries.rows_of(document)
            at = rows.index(row)
            return self._in_order(rows[max(at - before, 0) : at + after + 1])

    def document_chunks(self, source: str, limit: int) -> list[RetrievedChunk]:
        with self._moment():
            number = self._queries.number_of(source)
            return [] if number is None else self._in_order(self._queries.rows_of(number)[:limit])

    def _in_order(self, rows: Sequence[int]) -> list[RetrievedChunk]:
        found = self._queries.read(rows)
        return [found[row] for row in rows]

    def outline(self, most: int) -> list[DocumentOutline]:
        with self._moment():
            return [
                DocumentOutline(
                    source,
                    title,
                    tuple(dict.fromkeys(filter(None, self._queries.headings(number)))),
                    characters,
                )
                for number, source, title, characters in self._queries.shown(most)
            ]

    def document_names(self, most: int) -> list[str]:
        with self._moment():
            return [title or source for _, source, title, _ in self._queries.shown(most)]

    def document(self, source: str) -> IndexedDocument | None:
        with self._moment():
            return self._queries.document(source)
