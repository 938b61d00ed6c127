"""Passages that are in no collection, such as the web's, read as a collection of their own.

A chunk is judged by how it stands out from the question's other results; a passage from
elsewhere must stand out from its own fellows, not from documents that know nothing of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.embed.protocol import Embedder, Vectors
from rag.engines.local.words import read_terms
from rag.index.protocol import CollectionReader, IndexedDocument
from state.passages import RetrievedChunk

# Words that no passage holds weigh as in a collection of this size.
LEAST_CHUNKS = 50


class Snippets:
    """A `CollectionReader` over `chunks`; words are weighed by `beside`, the real collection."""

    def __init__(
        self, chunks: Sequence[RetrievedChunk], beside: CollectionReader, embedder: Embedder
    ) -> None:
        self._chunks = list(chunks)
        self._beside = beside
        self._embedder = embedder
        self._vectors = embedder.embed_documents([chunk["text"] for chunk in chunks])

    @property
    def name(self) -> str:
        return self._beside.name

    @property
    def embedder(self) -> Embedder:
        return self._embedder

    @property
    def chunk_count(self) -> int:
        return max(self._beside.chunk_count, LEAST_CHUNKS)

    @property
    def document_count(self) -> int:
        return self.chunk_count

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        cosines = self._vectors @ self._embedder.embed_query(query)
        ranked = sorted(zip(self._chunks, cosines, strict=True), key=lambda pair: -float(pair[1]))
        return [{**chunk, "cosine": float(cosine)} for chunk, cosine in ranked[:k]]

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        held = [read_terms(chunk).held for chunk in self._chunks]
        beside = self._beside.document_frequencies(terms)
        return {t: beside.get(t, 0) + sum(t in words for words in held) for t in terms}

    def similar_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        return self._beside.similar_terms(word, limit)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        places = {chunk["chunk_id"]: place for place, chunk in enumerate(self._chunks)}
        found: Vectors = self._vectors[[places[chunk_id] for chunk_id in chunk_ids]]
        return found

    def document_text(self, source: str, start: int = 0, end: int | None = None) -> str | None:
        return next((c["text"][start:end] for c in self._chunks if c["source"] == source), None)

    def document(self, source: str) -> IndexedDocument | None:  # noqa: ARG002
        return None

    def close(self) -> None:
        """Nothing is open."""
