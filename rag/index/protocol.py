"""What the rest of the program may ask of a collection it reads.

`open_collection` in `rag/index/collection.py` gives the real one. Readers never block
writers and never see half a document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rag.embed.protocol import Embedder, Vectors
from state.graph_state import RetrievedChunk


class CollectionReader(Protocol):
    """One collection, open for reading."""

    @property
    def name(self) -> str: ...

    @property
    def embedder(self) -> Embedder: ...

    @property
    def chunk_count(self) -> int: ...

    @property
    def document_count(self) -> int: ...

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        """The `k` best chunks by score fusion of BM25 and cosine, best first (`loop` is 0).

        Any text is a legal query; one without a searchable word uses the dense leg alone.
        """

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each term. Terms as `rag.index.terms.terms` gives them."""

    def similar_terms(self, word: str, limit: int) -> list[tuple[str, int, int]]:
        """Words of the collection spelt like `word`, as (word, edit distance, document
        frequency), nearest and then most frequent first; `word` itself is not among them.
        """

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """The stored vectors, shape (len(chunk_ids), dimension), in the order asked."""

    def document_text(self, source: str) -> str | None:
        """The whole extracted text of a source, or None if it is not in the collection."""
