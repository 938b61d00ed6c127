"""The local engine: every part of an engine done by code, nothing downloaded, nothing sent."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import cast

from rag.engines.protocol import (
    Contextualized,
    Emit,
    Generated,
    GenerateRequest,
    Graded,
    GradeRequest,
    RewriteRequest,
    Rewritten,
)
from rag.index.protocol import CollectionReader
from state.passages import HistoryTurn


class LocalEngine:
    """An `Engine` over the one collection whose words and vectors it judges by."""

    def __init__(self, collection: CollectionReader) -> None:
        self._collection = collection

    @property
    def name(self) -> str:
        return "local"

    @property
    def model(self) -> str | None:
        return None

    def contextualize(self, question: str, history: Sequence[HistoryTurn]) -> Contextualized:
        part = import_module("rag.engines.local.contextualize")
        return cast("Contextualized", part.contextualize(question, history, self._collection))

    def grade(self, request: GradeRequest) -> Graded:
        part = import_module("rag.engines.local.grade")
        return cast("Graded", part.grade(request, self._collection))

    def rewrite(self, request: RewriteRequest) -> Rewritten:
        part = import_module("rag.engines.local.rewrite")
        return cast("Rewritten", part.rewrite(request, self._collection))

    def generate(self, request: GenerateRequest, emit: Emit) -> Generated:
        part = import_module("rag.engines.local.answer")
        return cast("Generated", part.generate(request, emit, self._collection))
