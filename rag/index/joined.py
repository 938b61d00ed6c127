"""Several collections read as one, each source under its collection's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from rag.embed.protocol import Embedder, Vectors
from rag.index.candidates import together
from rag.index.protocol import DocumentOutline, IndexedDocument
from rag.index.reader import Reader
from rag.index.vocabulary import reading_for
from state.passages import RetrievedChunk


class JoinedCollections:
    """A `CollectionReader` over at least one collection, all of one embedder. A source is called
    "collection:source"; scores are what they would be in one collection.
    """

    def __init__(self, collections: Sequence[Reader]) -> None:
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

    def _place(self, source: str) -> tuple[Reader | None, str]:
        """The collection that a source is of, and its name there."""
        for each in self._collections:
            if source.startswith(f"{each.name}:"):
                return each, source.removeprefix(f"{each.name}:")
        return None, source
