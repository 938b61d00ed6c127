"""contextualize and transform_query with a model: a question that stands alone, other queries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, Field

from rag.engines.openai.chat_model import LINE, ChatModel
from rag.engines.openai.prompts import (
    Messages,
    contextualize_messages,
    rewrite_messages,
    without_markers,
)
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.protocol import Contextualized, Engine, RewriteRequest, Rewritten, same_query
from state.errors import ModelAccessError, ModelError
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
"""What a weak model writes for want of an answer."""


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
    local: Engine,
    question: str,
    history: Sequence[HistoryTurn],
    collection: str,
    meter: UsageMeter,
) -> Contextualized:
    """The model reads every question behind the first with what was said; a reply that is no
    question of its own leaves it to the local engine, with a warning.
    """
    if not history:
        return Contextualized(question)
    messages = contextualize_messages(question, history, collection)
    told, failed = _asked(chat, messages, StandAlone, meter)
    line = one_line(told)
    if line is not None and same_query(line, question):
        return Contextualized(question)
    old = [each for turn in history for each in (turn["question"], turn["standalone_question"])]
    asks = line is not None and question.rstrip().endswith("?") <= line.endswith("?")
    if line is not None and asks and _is_new(line, old):
        return Contextualized(line, "the model made it stand alone")
    why = failed or f"{chat.who} did not rewrite the follow-up question."
    by_code = local.contextualize(question, history)
    return replace(by_code, warnings=(f"{why} It was read as code reads it.",))


def rewrite(
    chat: ChatModel, local: Engine, request: RewriteRequest, collection: str, meter: UsageMeter
) -> Rewritten:
    """The model's queries; the local engine's where it has none."""
    told, failed = _asked(chat, rewrite_messages(request, collection), Queries, meter)
    known = [*request.tried, request.question]
    listed = told if isinstance(told, list) else str(told).splitlines()
    lines = [line for each in listed if (line := one_line(each)) and _is_new(line, known)]
    if lines:
        first, *others = list(dict.fromkeys(lines))[:MOST_QUERIES]
        return Rewritten(first, "the model put it in other words", next(iter(others), None))
    by_code = local.rewrite(request)
    reason = f"the model proposed no new query; {by_code.reason}"
    warnings = (f"{failed} The query was rewritten by code.",) if failed else ()
    return Rewritten(by_code.query, reason, warnings=(*warnings, *by_code.warnings))


def _asked(
    chat: ChatModel, messages: Messages, wanted: type[BaseModel], meter: UsageMeter
) -> tuple[Any, str]:
    """The one field of the reply, or the reply itself where it is no JSON; nothing where there was
    none, with what failed.
    """
    try:
        reply = chat.ask(messages, meter, LINE, wanted)
    except ModelAccessError:
        raise
    except ModelError as error:
        meter.failed = True
        return "", str(error)
    (name,) = wanted.model_fields
    return reply.fields().get(name, "" if reply.text.startswith("{") else reply.text), ""


def _is_new(line: str, known: Sequence[str]) -> bool:
    """Neither what was asked or tried before, nor that there is nothing to say, nor an answer."""
    says = not _REFUSAL.match(line) and without_markers(line) == line
    return says and not any(same_query(line, each) for each in known)


def one_line(told: Any) -> str | None:
    """The one line a model was asked for, without label and quotation marks; None if what it
    wrote is no line of that kind: nothing, an essay, or words without a letter.
    """
    lines = [line.strip() for line in str(told).splitlines() if line.strip()]
    if len(lines) != 1:
        lines = [line for line in lines[:3] if _LABEL.match(line)][:1]
    line = _LABEL.sub("", lines[0]).strip(" \"'`*“”") if lines else ""
    usable = any(c.isalnum() for c in line) and len(line) <= LONGEST_LINE and line.isprintable()
    return line if usable else None
