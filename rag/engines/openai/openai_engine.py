"""The engine for any OpenAI-compatible endpoint. One structured call answers, one rewrites, one
grades if the model is the grader; a follow-up costs one more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from rag.budget import Budget
from rag.endpoint.address import chat_endpoint
from rag.engines.openai.answering import generate
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prices import require_prices
from rag.engines.openai.queries import contextualize, rewrite
from rag.engines.openai.verdicts import grade, verify
from rag.engines.protocol import (
    Contextualized,
    Emit,
    Engine,
    EngineResult,
    Generated,
    GenerateRequest,
    Graded,
    GradeRequest,
    RewriteRequest,
    Rewritten,
    Verified,
)
from state.choices import GraderChoice
from state.errors import ModelAccessError, ModelError
from state.passages import HistoryTurn
from state.settings import Settings

T = TypeVar("T", bound=EngineResult)


@dataclass(frozen=True, slots=True)
class OpenAIEngine:
    """An `Engine`. `local` grades unless the model is to, and stands in for replies that cannot be
    read; where a call fails, for the rest of the question.
    """

    name = "openai"
    chat: ChatModel
    local: Engine
    settings: Settings
    budget: Budget = field(default_factory=Budget)
    streamed: bool = True
    failures: list[ModelError] = field(default_factory=list)

    @classmethod
    def connect(cls, settings: Settings, local: Engine) -> OpenAIEngine:
        """The engine that the settings describe. Nothing is sent before the first call.

        Raises:
            SettingsError: an unusable URL, a missing key, a money budget without a price.
        """
        require_prices(settings)
        endpoint = chat_endpoint(settings)
        return cls(ChatModel(settings.model, endpoint, settings), local, settings)

    def for_question(self, budget: Budget, *, streamed: bool = True) -> OpenAIEngine:
        return replace(self, budget=budget, streamed=streamed, failures=[])

    def close(self) -> None:
        self.chat.close()

    @property
    def model(self) -> str | None:
        return self.chat.name

    @property
    def answers_once(self) -> bool:
        return self.chat.server.is_slow

    def contextualize(self, question: str, history: Sequence[HistoryTurn]) -> Contextualized:
        if not history:
            return Contextualized(question)
        collection = self.settings.collection
        ask = partial(contextualize, self.chat, question, history, collection, self.budget)
        local = partial(self.local.contextualize, question, history)
        unusable = f"{self.chat.label} did not rewrite the follow-up question."
        return self._or_local(ask, local, "It was read as code reads it.", unusable)

    def grade(self, request: GradeRequest) -> Graded:
        if self.settings.grader is not GraderChoice.MODEL:
            return self.local.grade(request)
        ask = partial(grade, self.chat, self.local, request, self.budget)
        local = partial(self.local.grade, request)
        return self._or_local(ask, local, "Until then the local grader graded.")

    def rewrite(self, request: RewriteRequest) -> Rewritten:
        ask = partial(rewrite, self.chat, request, self.settings.collection, self.budget)
        local = partial(self.local.rewrite, request)
        return self._or_local(ask, local, "The query was rewritten by code.")

    def generate(self, request: GenerateRequest, emit: Emit) -> Generated:
        return generate(self.chat, request, emit, self.budget, streamed=self.streamed)

    def verify(self, claims: Sequence[str], quotes: Sequence[str]) -> Verified:
        ask = partial(verify, self.chat, claims, quotes, self.budget)
        local = partial(self.local.verify, claims, quotes)
        return self._or_local(ask, local, "What is in doubt stays so.")

    def _or_local(
        self, ask: Callable[[], T | None], local: Callable[[], T], instead: str, unusable: str = ""
    ) -> T:
        """What the model gives, or what code does: where the call fails, for the rest of the
        question, or where its reply is of no use, with `unusable` as the warning, if any.
        """
        if self.failures:
            return local()
        why = unusable
        try:
            if (made := ask()) is not None:
                return made
        except ModelAccessError:
            raise
        except ModelError as error:
            self.failures.append(error)
            why = str(error)
        by_code = local()
        told = (f"{why} {instead}",) if why else ()
        return replace(by_code, warnings=(*told, *by_code.warnings))
