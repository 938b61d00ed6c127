"""The engine for any OpenAI-compatible endpoint. One structured call answers, one rewrites, one
grades if the model is the grader; a follow-up costs one more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import BaseModel, Field

from rag.budget import Budget
from rag.endpoint.address import chat_endpoint
from rag.engines.openai.answering import generate
from rag.engines.openai.chat_model import LINE, ChatModel
from rag.engines.openai.plain_reply import without_markers
from rag.engines.openai.prices import require_prices
from rag.engines.openai.prompts import (
    contextualize_messages,
    grade_messages,
    rewrite_messages,
    verify_messages,
)
from rag.engines.openai.verdicts import ask_verdicts
from rag.engines.protocol import (
    Contextualized,
    Emit,
    Engine,
    Generated,
    Graded,
    Rewritten,
    Verified,
)
from rag.text.prose import one_line
from state.choices import GraderChoice
from state.graph_state import GraphState, new_chunks, queries_tried
from state.passages import Grade, HistoryTurn
from state.settings import Settings

LONGEST_LINE = 500
MOST_QUERIES = 2
MOST_GRADED = 20
"""How many documents a model grades, the best of what was found."""


class StandAlone(BaseModel):
    """The last question, made to stand alone."""

    question: str = Field(json_schema_extra={"maxLength": 300})


class Queries(BaseModel):
    """One or two search queries."""

    queries: list[Annotated[str, Field(json_schema_extra={"maxLength": 120})]] = Field(
        json_schema_extra={"maxItems": MOST_QUERIES}
    )


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
        """The question made to stand alone by the model; by code where its reply is no such
        question, but an answer or an earlier question.
        """
        if not history:
            return Contextualized(question)
        messages = contextualize_messages(question, history, self.settings.collection)
        told = self.chat.structured(messages, self.budget, LINE, StandAlone)
        line = "" if told is None else one_line(told.question)
        if _same_query(line, question):
            return Contextualized(question)
        old = [each for turn in history for each in (turn["question"], turn["standalone_question"])]
        if question.rstrip().endswith("?") <= line.endswith("?") and _is_new(line, old):
            return Contextualized(line, "the model made it stand alone")
        why = f"{self.chat.label} did not rewrite the follow-up question. Code read it instead."
        return replace(self.local.contextualize(question, history), warnings=(why,))

    def grade(self, state: GraphState) -> Graded:
        """Grades in one call where the model is to; code grades what is left, or all where the
        reply cannot be read.
        """
        if self.settings.grader is not GraderChoice.MODEL:
            return self.local.grade(state)
        chunks = new_chunks(state)
        asked = chunks[:MOST_GRADED]
        messages = grade_messages(state["standalone_question"], asked)
        verdicts = ask_verdicts(self.chat, messages, "document", len(asked), self.budget)
        grades: list[Grade] = [
            {
                "chunk_id": chunk["chunk_id"],
                "relevant": verdict.holds,
                "confidence": None,
                "reason": verdict.reason or None,
                "grader": "model",
            }
            for chunk, verdict in zip(asked, verdicts, strict=False)
        ]
        if left := [chunk["chunk_id"] for chunk in chunks[len(verdicts) :]]:
            grades += self.local.grade({**state, "new_documents": left}).grades
        found = any(each["relevant"] for each in (*grades, *state["grades"].values()))
        told = f"{self.chat.label} gave no readable grades; the local grader graded."
        return Graded(tuple(grades), found, warnings=() if verdicts else (told,))

    def rewrite(self, state: GraphState) -> Rewritten:
        """The model's queries; code's where it proposes no new one."""
        messages = rewrite_messages(state, self.settings.collection)
        told = self.chat.structured(messages, self.budget, LINE, Queries)
        lines = dict.fromkeys(map(one_line, told.queries if told is not None else ()))
        queries = [line for line in lines if _is_new(line, queries_tried(state))][:MOST_QUERIES]
        if not queries:
            return self.local.rewrite(state)
        return Rewritten(queries, "the model put it in other words")

    def generate(self, state: GraphState, emit: Emit) -> Generated:
        return generate(self.chat, state, emit, self.budget)

    def verify(self, claims: Sequence[str], quotes: Sequence[str]) -> Verified:
        messages = verify_messages(claims, quotes)
        verdicts = ask_verdicts(self.chat, messages, "claim", len(claims), self.budget)
        told = f"{self.chat.label} gave no readable verdicts; what is in doubt stays so."
        supported = tuple(verdict.holds for verdict in verdicts)
        return Verified(supported, warnings=() if verdicts else (told,))


def _is_new(line: str, known: Sequence[str]) -> bool:
    """Whether the line is one to search for: it has a word, is no essay and no answer with markers,
    and is not known already.
    """
    usable = any(c.isalnum() for c in line) and len(line) <= LONGEST_LINE and line.isprintable()
    answers = without_markers(line) != line
    return usable and not answers and not any(_same_query(line, each) for each in known)


def _same_query(one: str, other: str) -> bool:
    """Whether a search would find the same for both: they differ in case and signs only."""
    return re.findall(r"\w+", one.casefold()) == re.findall(r"\w+", other.casefold())
