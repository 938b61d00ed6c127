"""Asks a model to make a question stand alone, and for other search queries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from rag.budget import Budget
from rag.engines.openai.chat_model import LINE, ChatModel
from rag.engines.openai.plain_reply import without_markers
from rag.engines.openai.prompts import contextualize_messages, rewrite_messages
from rag.engines.protocol import Contextualized, Rewritten
from rag.text.prose import one_line
from state.graph_state import GraphState, queries_tried
from state.passages import HistoryTurn

LONGEST_LINE = 500
MOST_QUERIES = 2


class StandAlone(BaseModel):
    """The last question, made to stand alone."""

    question: str = Field(json_schema_extra={"maxLength": 300})


class Queries(BaseModel):
    """One or two search queries."""

    queries: list[Annotated[str, Field(json_schema_extra={"maxLength": 120})]] = Field(
        json_schema_extra={"maxItems": MOST_QUERIES}
    )


def contextualize(
    chat: ChatModel,
    question: str,
    history: Sequence[HistoryTurn],
    collection: str,
    budget: Budget,
) -> Contextualized | None:
    """The question made to stand alone by the model; None where its reply is no such question, but
    an answer or an earlier question.
    """
    messages = contextualize_messages(question, history, collection)
    told = chat.structured(messages, budget, LINE, StandAlone)
    if told is None:
        return None
    line = one_line(told.question)
    if _same_query(line, question):
        return Contextualized(question)
    old = [each for turn in history for each in (turn["question"], turn["standalone_question"])]
    asks = question.rstrip().endswith("?") <= line.endswith("?")
    made = Contextualized(line, "the model made it stand alone")
    return made if asks and _is_new(line, old) else None


def rewrite(
    chat: ChatModel, state: GraphState, collection: str, budget: Budget
) -> Rewritten | None:
    """The model's queries; None where it proposes no new one."""
    told = chat.structured(rewrite_messages(state, collection), budget, LINE, Queries)
    lines = dict.fromkeys(map(one_line, told.queries if told is not None else ()))
    queries = [line for line in lines if _is_new(line, queries_tried(state))][:MOST_QUERIES]
    return Rewritten(queries, "the model put it in other words") if queries else None


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
