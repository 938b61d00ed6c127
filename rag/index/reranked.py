"""A collection whose best chunks a reranking model puts in order, before anything is graded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from rag.index.protocol import CollectionReader
from state.errors import ModelError
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder, Vectors
    from rag.index.protocol import IndexedDocument

CANDIDATES = 50
"""Chunks that are put in order; what lies behind stays where it is."""


class Scorer(Protocol):
    def scores(self, query: str, texts: Sequence[str]) -> list[float]: ...


class RerankedCollection:
    """A CollectionReader; all but the order of what `search` finds is `plain`'s own. Where the
    reranker fails the order stays as it was, and one line says so.
    """

    def __init__(
        self, plain: CollectionReader, scorer: Scorer, notify: Callable[[str], None]
    ) -> None:
        self.plain = plain
        self._scorer = scorer
        self._notify = notify
        self._warned = False

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        hits = self.plain.search(query, max(k, CANDIDATES))
        if not query.strip() or len(hits) < 2:
            return hits[:k]
        best, rest = hits[:CANDIDATES], hits[CANDIDATES:]
        try:
            scores = self._scorer.scores(query, [_shown(hit) for hit in best])
        except ModelError as error:
            if not self._warned:
                self._notify(f"{error} The order is that of the search.")
            self._warned = True
            return hits[:k]
        order = sorted(range(len(best)), key=lambda place: -scores[place])
        found = [_scored(best[place], scores[place]) for place in order]
        return [*found, *(_scored(hit, min(scores)) for hit in rest)][:k]

    @property
    def name(self) -> str:
        return self.plain.name

    @property
    def embedder(self) -> Embedder:
        return self.plain.embedder

    @property
    def chunk_count(self) -> int:
        return self.plain.chunk_count

    @property
    def document_count(self) -> int:
        return self.plain.document_count

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        return self.plain.document_frequencies(terms)

    def similar_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        return self.plain.similar_terms(word, limit)

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        return self.plain.vectors(chunk_ids)

    def document_text(self, source: str, start: int = 0, end: int | None = None) -> str | None:
        return self.plain.document_text(source, start, end)

    def document(self, source: str) -> IndexedDocument | None:
        return self.plain.document(source)

    def close(self) -> None:
        self.plain.close()


def _scored(hit: RetrievedChunk, score: float) -> RetrievedChunk:
    return {**hit, "score": score}


def _shown(hit: RetrievedChunk) -> str:
    under = " > ".join(part for part in (hit["title"], hit["heading"]) if part)
    return f"{under}\n{hit['text']}" if under else hit["text"]
