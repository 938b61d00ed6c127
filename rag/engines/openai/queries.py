"""Asks a model to make a question stand alone, and for other search queries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, Field

from rag.budget import Budget
from rag.engines.openai.chat_model import LINE, ChatModel, Request
from rag.engines.openai.plain_reply import without_markers
from rag.engines.openai.prompts import (
    Messages,
    contextualize_messages,
    rewrite_messages,
)
from rag.engines.protocol import Contextualized, RewriteRequest, Rewritten
from state.passages import HistoryTurn

LONGEST_LINE = 500
MOST_QUERIES = 2
_LABEL = re.compile(
    r"^\W*(?:stand-?alone |search |better |rewritten )?(?:question|query)\W*:\s*", re.IGNORECASE
)
_REFUSAL = re.compile(
    r"\W*(?:(?:i['’]?m |i am )?sorry\b|as an ai\b|i (?:can|could|do|am)(?:['’]t| ?not|n['’]t)\b"
    r"|unable to\b|n/?a\W*$|none\W*$|there is no\b)",
    re.IGNORECASE,
)
"""Matches what a weak model writes for want of an answer."""


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
    an answer, a refusal or an earlier question.
    """
    messages = contextualize_messages(question, history, collection)
    line = usable_line(_asked(chat, messages, StandAlone, budget))
    if line is None:
        return None
    if _same_query(line, question):
        return Contextualized(question)
    old = [each for turn in history for each in (turn["question"], turn["standalone_question"])]
    asks = question.rstrip().endswith("?") <= line.endswith("?")
    made = Contextualized(line, "the model made it stand alone")
    return made if asks and _is_new(line, old) else None


def rewrite(
    chat: ChatModel, request: RewriteRequest, collection: str, budget: Budget
) -> Rewritten | None:
    """The model's queries; None where it proposes no new one."""
    told = _asked(chat, rewrite_messages(request, collection), Queries, budget)
    known = [*request.tried, request.question]
    listed = told if isinstance(told, list) else told.splitlines()
    lines = [line for each in listed if (line := usable_line(each)) and _is_new(line, known)]
    if not lines:
        return None
    queries = list(dict.fromkeys(lines))[:MOST_QUERIES]
    return Rewritten(queries, "the model put it in other words")


def _asked(
    chat: ChatModel, messages: Messages, wanted: type[BaseModel], budget: Budget
) -> str | list[Any]:
    """The one field of the reply, or the reply itself where it is no JSON."""
    reply = chat.ask(Request(messages, budget, LINE, wanted))
    (name,) = wanted.model_fields
    told = reply.fields().get(name, "" if reply.text.startswith("{") else reply.text)
    return told if isinstance(told, (str, list)) else ""


def _is_new(line: str, known: Sequence[str]) -> bool:
    """Whether the line is neither known already, nor a refusal, nor an answer with markers."""
    says = not _REFUSAL.match(line) and without_markers(line) == line
    return says and not any(_same_query(line, each) for each in known)


def _same_query(one: str, other: str) -> bool:
    """Whether a search would find the same for both: they differ in case and signs only."""
    return re.findall(r"\w+", one.casefold()) == re.findall(r"\w+", other.casefold())


def usable_line(told: Any) -> str | None:
    """The one line that a model was asked for, without label and quotation marks; None if what it
    wrote is no line of that kind: no text, an essay, or words without a letter.
    """
    lines = [line.strip() for line in told.splitlines()] if isinstance(told, str) else []
    lines = [line for line in lines if line]
    if len(lines) != 1:
        lines = [line for line in lines[:3] if _LABEL.match(line)][:1]
    line = _LABEL.sub("", lines[0]).strip(" \"'`*“”") if lines else ""
    usable = any(c.isalnum() for c in line) and len(line) <= LONGEST_LINE and line.isprintable()
    return line if usable else None
