"""The local engine does all of an engine's work by code; it downloads and sends nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rag.budget import Budget
from rag.engines.local.answer import generate
from rag.engines.local.grade import grade
from rag.engines.local.rewrite import rewrite
from rag.engines.protocol import Contextualized, Graded, Verified
from rag.index.reader import CollectionReader
from rag.question.followup import stand_alone
from rag.reading.reranker import Reranker
from state.graph_state import GraphState
from state.passages import HistoryTurn


class LocalEngine:
    """An `Engine` over one collection. It judges by the collection's words and vectors, and by the
    `reranker` where that reads the question.
    """

    name = "local"
    model: str | None = None
    answers_once = False
    generate = staticmethod(generate)
    rewrite = staticmethod(rewrite)

    def __init__(self, collection: CollectionReader, reranker: Reranker) -> None:
        self._collection = collection
        self._reranker = reranker

    def contextualize(self, question: str, history: Sequence[HistoryTurn]) -> Contextualized:
        alone, carried = stand_alone(question, history)
        return Contextualized(alone, reason=f"carried over: {carried}" if carried else None)

    def document_tokens(self, wanted: int) -> int:
        return wanted

    def grade(self, state: GraphState) -> Graded:
        return grade(state, self._collection, self._reranker)

    def verify(self, claims: Sequence[str], quotes: Sequence[str]) -> Verified:  # noqa: ARG002
        return Verified()

    def for_question(self, budget: Budget) -> LocalEngine:  # noqa: ARG002
        return self

    def close(self) -> None:
        """Does nothing: there are no connections."""
