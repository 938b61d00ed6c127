"""The local engine does all of an engine's work by code; it downloads and sends nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rag.budget import Budget
from rag.engines.protocol import (
    Contextualized,
    Emit,
    Generated,
    GenerateRequest,
    Graded,
    GradeRequest,
    RewriteRequest,
    Rewritten,
    Verified,
)
from rag.index.reader import CollectionReader
from rag.reading.reranker import Reranker
from state.passages import HistoryTurn


class LocalEngine:
    """An `Engine` over one collection. It judges by the collection's words and vectors, and by the
    `reranker` where that reads the question.
    """

    def __init__(self, collection: CollectionReader, reranker: Reranker) -> None:
        self._collection = collection
        self._reranker = reranker

    @property
    def name(self) -> str:
        return "local"

    @property
    def model(self) -> str | None:
        return None

    @property
    def answers_once(self) -> bool:
        return False

    def contextualize(self, question: str, history: Sequence[HistoryTurn]) -> Contextualized:
        from rag.question.followup import stand_alone

        alone, carried = stand_alone(question, history)
        return Contextualized(alone, reason=f"carried over: {carried}" if carried else None)

    def grade(self, request: GradeRequest) -> Graded:
        from rag.engines.local.grade import grade

        return grade(request, self._collection, self._reranker)

    def rewrite(self, request: RewriteRequest) -> Rewritten:
        from rag.engines.local.rewrite import rewrite

        return rewrite(request)

    def generate(self, request: GenerateRequest, emit: Emit) -> Generated:
        from rag.engines.local.answer import generate

        return generate(request, emit)

    def verify(self, claims: Sequence[str], quotes: Sequence[str]) -> Verified:  # noqa: ARG002
        return Verified((None,) * len(claims))

    def for_question(self, budget: Budget, *, streamed: bool = True) -> LocalEngine:  # noqa: ARG002
        return self

    def close(self) -> None:
        """Does nothing: there are no connections."""
