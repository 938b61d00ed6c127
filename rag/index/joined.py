"""Several collections read as one, each source under its collection's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rag.embed.protocol import Embedder, Vectors
from rag.index.candidates import together
from rag.index.protocol import IndexedDocument
from rag.index.stored_reader import StoredReader
from rag.index.vocabulary import reading_for
from state.passages import RetrievedChunk


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
