"""The engine for any OpenAI-compatible endpoint. One structured call answers, one rewrites, one
grades if the model is the grader; a follow-up costs one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

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
    Generated,
    Graded,
    Rewritten,
    Verified,
)
from state.choices import GraderChoice
from state.graph_state import GraphState
from state.passages import HistoryTurn
from state.settings import Settings


@dataclass(frozen=True, slots=True)
class OpenAIEngine:
    """An `Engine`. `local` grades unless the model is to, and stands in for replies that cannot be
    read. A call that fails ends the question.
    """

    name = "openai"
    chat: ChatModel
    local: Engine
    settings: Settings
    budget: Budget = field(default_factory=Budget)

    @classmethod
    def connect(cls, settings: Settings, local: Engine) -> OpenAIEngine:
        """The engine that the settings describe. Nothing is sent before the first call.

        Raises:
            SettingsError: an unusable URL, a missing key, a money budget without a price.
        """
        require_prices(settings)
        endpoint = chat_endpoint(settings)
        return cls(ChatModel(settings.model, endpoint, settings), local, settings)

    def for_question(self, budget: Budget) -> OpenAIEngine:
        return replace(self, budget=budget)

    def close(self) -> None:
        self.chat.close()

    @property
    def model(self) -> str | None:
        return self.chat.name

    @property
    def answers_once(self) -> bool:
        return self.chat.server.is_slow

    def document_tokens(self, wanted: int) -> int:
        return self.chat.server.document_tokens(wanted)

    def contextualize(self, question: str, history: Sequence[HistoryTurn]) -> Contextualized:
        if not history:
            return Contextualized(question)
        collection = self.settings.collection
        made = contextualize(self.chat, question, history, collection, self.budget)
        if made is not None:
            return made
        told = f"{self.chat.label} did not rewrite the follow-up question. Code read it instead."
        return replace(self.local.contextualize(question, history), warnings=(told,))

    def grade(self, state: GraphState) -> Graded:
        if self.settings.grader is not GraderChoice.MODEL:
            return self.local.grade(state)
        return grade(self.chat, self.local, state, self.budget)

    def rewrite(self, state: GraphState) -> Rewritten:
        made = rewrite(self.chat, state, self.settings.collection, self.budget)
        return self.local.rewrite(state) if made is None else made

    def generate(self, state: GraphState, emit: Emit) -> Generated:
        return generate(self.chat, state, emit, self.budget)

    def verify(self, claims: Sequence[str], quotes: Sequence[str]) -> Verified:
        return verify(self.chat, claims, quotes, self.budget)
