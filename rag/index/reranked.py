"""A collection whose best chunks a reranking model puts in order, before anything is graded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rag.index.protocol import CollectionReader
from state.documents import headed_text
from state.errors import ModelError
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from rag.endpoint.rerank import Reranker

CANDIDATES = 50
"""Chunks that are put in order; what lies behind stays where it is."""


class RerankedCollection:
    """A CollectionReader; all but the order of what `search` finds is `plain`'s own. Where the
    reranker fails the order stays as it was, and one line says so.
    """

    def __init__(
        self, plain: CollectionReader, scorer: Reranker, notify: Callable[[str], None]
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
            texts = [headed_text(hit["title"], hit["heading"], hit["text"]) for hit in best]
            scores = self._scorer.scores(query, texts)
        except ModelError as error:
            if not self._warned:
                self._notify(f"{error} The order is that of the search.")
            self._warned = True
            return hits[:k]
        order = sorted(range(len(best)), key=lambda place: -scores[place])
        found = [_scored(best[place], scores[place]) for place in order]
        return [*found, *(_scored(hit, min(scores)) for hit in rest)][:k]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)


def _scored(hit: RetrievedChunk, score: float) -> RetrievedChunk:
    return {**hit, "score": score}
