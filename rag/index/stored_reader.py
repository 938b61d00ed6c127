"""Reading a collection of one store: hybrid search over what its `Legs` answer; and several read as
one, each source under its collection's name.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from rag.embed.protocol import Embedder, Vectors
from rag.index.candidates import Candidates, together
from rag.index.codec import chunk_key
from rag.index.collection_rows import CollectionRow, check_embedder
from rag.index.contents import Contents, Sql
from rag.index.hybrid import Legs, candidates
from rag.index.protocol import CollectionReader, DocumentOutline, IndexedDocument, Notice
from rag.index.vocabulary import Vocabulary, reading_for
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class StoredReader(CollectionReader):
    """A `CollectionReader`; every call sees one moment of the store, never half a write."""

    _files: GitIgnoreSpec | None
    """Which sources may be found; None: all."""

    def __init__(self, embedder: Embedder, notice: Notice) -> None:
        self._embedder = embedder
        self._notice = notice

    def _read_from(self, row: CollectionRow, sql: Sql, legs: Legs) -> None:
        """From here on; what was counted and found before holds no more."""
        self._row = row
        self._contents = Contents(sql, row.id)
        self._legs = legs
        self._vocabulary = Vocabulary(legs)

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
            return self._legs.chunk_count

    @property
    def document_count(self) -> int:
        with self._moment():
            return self._legs.document_count

    @property
    def dense_searched(self) -> str:
        return self._legs.dense_searched

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        return self.candidates(query, k).best(k)

    def candidates(self, query: str, k: int) -> Candidates:
        """What `search` ranks: at least the `k` best are among them."""
        vector = self._embedder.embed_query(query)
        with self.snapshot(), reading_for(self, query):
            return candidates(self._legs, self._vocabulary, query, vector, k)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        with self._moment():
            return self._vocabulary.frequencies(terms)

    def similar_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        with self._moment():
            return self._vocabulary.spelt_like(word)[:limit]

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        keys = list(map(chunk_key, chunk_ids))
        with self._moment():
            stored = self._legs.vectors(keys)
        found = np.zeros((len(keys), self._row.embedder.dimension), dtype=np.float32)
        for place, key in enumerate(keys):
            if key in stored:
                found[place] = stored[key]
        return found

    def document_text(self, source: str, start: int = 0, end: int | None = None) -> str | None:
        with self._moment():
            number = self._contents.number_of(source)
            return None if number is None else self._legs.text(number, start, end)

    def around(self, chunk_id: str, before: int, after: int) -> list[RetrievedChunk]:
        with self._moment():
            place = self._legs.place_of(chunk_key(chunk_id))
            if place is None:
                return []
            document, row = place
            rows = self._legs.rows_of(document)
            at = rows.index(row)
            return self._in_order(rows[max(at - before, 0) : at + after + 1])

    def document_chunks(self, source: str, limit: int) -> list[RetrievedChunk]:
        with self._moment():
            number = self._contents.number_of(source)
            return [] if number is None else self._in_order(self._legs.rows_of(number)[:limit])

    def _in_order(self, rows: Sequence[int]) -> list[RetrievedChunk]:
        found = self._legs.read(rows)
        return [found[row] for row in rows]

    def outline(self, most: int) -> list[DocumentOutline]:
        matches = None if self._files is None else self._files.match_file
        with self._moment():
            return [
                DocumentOutline(
                    source,
                    title,
                    tuple(dict.fromkeys(filter(None, self._legs.headings(number)))),
                    characters,
                )
                for number, source, title, characters in self._contents.outlined(most, matches)
            ]

    def document_names(self, most: int) -> list[str]:
        matches = None if self._files is None else self._files.match_file
        with self._moment():
            return self._contents.names(most, matches)

    def document(self, source: str) -> IndexedDocument | None:
        with self._moment():
            return self._contents.document(source)


class JoinedCollections:
    """A `CollectionReader` over at least one collection, all of one embedder. A source is called
    "collection:source"; scores are what they would be in one collection.
    """

    def __init__(self, collections: Sequence[StoredReader]) -> None:
        self._collections = tuple(collections)

    @property
    def name(self) -> str:
        return ",".join(each.name for each in self._collections)

    @property
    def embedder(self) -> Embedder:
        return self._collections[0].embedder

    @property
    def chunk_count(self) -> int:
        return sum(each.chunk_count for each in self._collections)

    @property
    def document_count(self) -> int:
        return sum(each.document_count for each in self._collections)

    @property
    def dense_searched(self) -> str:
        return ", ".join(dict.fromkeys(each.dense_searched for each in self._collections))

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        with reading_for(self, query):
            found = [each.candidates(query, k) for each in self._collections]
        return together(found, [f"{each.name}:" for each in self._collections]).best(k)

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        total: Counter[str] = Counter(dict.fromkeys(terms, 0))
        for each in self._collections:
            total.update(each.document_frequencies(terms))
        return dict(total)

    def similar_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        total: Counter[str] = Counter()
        for each in self._collections:
            total.update(dict(each.similar_terms(word, limit)))
        return total.most_common(limit)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        first, *others = (each.vectors(chunk_ids) for each in self._collections)
        for more in others:
            unknown = ~first.any(axis=1)
            first[unknown] = more[unknown]
        return first

    def document_text(self, source: str, start: int = 0, end: int | None = None) -> str | None:
        collection, own = self._place(source)
        return None if collection is None else collection.document_text(own, start, end)

    def around(self, chunk_id: str, before: int, after: int) -> list[RetrievedChunk]:
        for each in self._collections:
            if found := each.around(chunk_id, before, after):
                return [{**chunk, "source": f"{each.name}:{chunk['source']}"} for chunk in found]
        return []

    def document_chunks(self, source: str, limit: int) -> list[RetrievedChunk]:
        collection, own = self._place(source)
        found = [] if collection is None else collection.document_chunks(own, limit)
        return [{**chunk, "source": source} for chunk in found]

    def outline(self, most: int) -> list[DocumentOutline]:
        named = (
            replace(document, source=f"{each.name}:{document.source}")
            for each in self._collections
            for document in each.outline(most)
        )
        return list(islice(named, most))

    def document_names(self, most: int) -> list[str]:
        return [name for each in self._collections for name in each.document_names(most)][:most]

    def document(self, source: str) -> IndexedDocument | None:
        collection, own = self._place(source)
        return None if collection is None else collection.document(own)

    def close(self) -> None:
        for each in self._collections:
            each.close()

    def _place(self, source: str) -> tuple[StoredReader | None, str]:
        """The collection that a source is of, and its name there."""
        for each in self._collections:
            if source.startswith(f"{each.name}:"):
                return each, source.removeprefix(f"{each.name}:")
        return None, source
