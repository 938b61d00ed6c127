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
from rag.engines.openai.reply import Reply
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.openai.verdicts import SHORT
from rag.engines.protocol import Contextualized, Engine, RewriteRequest, Rewritten, same_query
from state.errors import ModelAccessError, ModelError
from state.passages import HistoryTurn

LONGEST_LINE = 500
MOST_QUERIES = 2
_LABEL = re.compile(
    r"^\W*(?:stand-?alone |search |better |rewritten )?(?:question|query)\W*:\s*", re.IGNORECASE
)
_REFUSAL = re.compile(
    r"\W*(?:(?:i['’]?m |i am )?sorry\b|as an ai\b|i (?:can(?:['’]t| ?not)|could not|couldn['’]t|"
    r"do(?:es)?(?: not|n['’]t)|am (?:unable|not able))\b|unable to\b|n/?a\W*$|none\W*$|"
    r"(?:there is )?no (?:answer|question|instruction|information|contradictions?)\b)",
    re.IGNORECASE,
)
"""What a weak model writes for want of an answer."""
_PIECES = re.compile(r"(?<=[.!?:])\s+|\n+")
_LEAST = 16
"""Characters of an earlier answer that no one repeats by chance."""


class StandAlone(BaseModel):
    """The last question, made to stand alone."""

    question: str = Field(json_schema_extra={"maxLength": 300})


class Queries(BaseModel):
    """One or two search queries."""

    queries: list[Annotated[str, Field(json_schema_extra=SHORT)]] = Field(
        json_schema_extra={"maxItems": 2}
    )


def contextualize(
    chat: ChatModel,
    local: Engine,
    question: str,
    history: Sequence[HistoryTurn],
    meter: UsageMeter,
) -> Contextualized:
    """The model reads every question behind the first with what was said; a reply that is no
    question of its own leaves it to the local engine, with a warning.
    """
    if not history:
        return Contextualized(question)
    reply, failure = _asked(chat, contextualize_messages(question, history), StandAlone, meter)
    line = one_line(_told(reply, "question"))
    if line is not None and _stands_alone(line, question, history):
        if same_query(line, question):
            return Contextualized(question)
        return Contextualized(line, "the model made it stand alone")
    by_code = local.contextualize(question, history)
    why = failure or f"{chat.who} did not rewrite the follow-up question."
    return replace(by_code, warnings=(f"{why} It was read as code reads it.",))


def _stands_alone(line: str, question: str, history: Sequence[HistoryTurn]) -> bool:
    """Whether it can be the question: neither a statement, nor markers, nor what was said
    before, nor that there is nothing to say.
    """
    if same_query(line, question):
        return True
    asks = question.rstrip().endswith("?") <= line.endswith("?")
    if not asks or _REFUSAL.match(line) or without_markers(line) != line:
        return False
    pieces = [piece for turn in history for piece in _PIECES.split(turn["answer"])]
    if any(len(each) >= _LEAST and each in line and each not in question for each in pieces):
        return False
    asked = [old for turn in history for old in (turn["question"], turn["standalone_question"])]
    return not any(same_query(line, old) for old in asked)


def rewrite(
    chat: ChatModel, local: Engine, request: RewriteRequest, meter: UsageMeter
) -> Rewritten:
    """The grader's suggestion; else the model's, if nothing was found yet and it was not asked
    in this loop already; else the local engine's. A loop so costs one call at most.
    """
    if request.suggested and _is_new(request.suggested, request):
        return Rewritten(one_line(request.suggested), "the grader proposed it")
    warnings: tuple[str, ...] = ()
    found = any(grade["relevant"] for grade in request.grades.values())
    if request.refused or not (found or _graded_by_model(request)):
        reply, failure = _asked(chat, rewrite_messages(request), Queries, meter)
        told = _told(reply, "queries")
        lines = told if isinstance(told, list) else str(told).splitlines()
        queries = [line for each in lines if (line := one_line(each)) and _is_new(line, request)]
        if queries:
            first, *others = list(dict.fromkeys(queries))[:MOST_QUERIES]
            return Rewritten(first, "the model put it in other words", next(iter(others), None))
        if failure:
            warnings = (f"{failure} The query was rewritten by code.",)
    by_code = local.rewrite(request)
    reason = f"the model proposed no new query; {by_code.reason}"
    return Rewritten(by_code.query, reason, warnings=(*warnings, *by_code.warnings))


def _asked(
    chat: ChatModel, messages: Messages, wanted: type[BaseModel], meter: UsageMeter
) -> tuple[Reply, str]:
    """An empty reply where there was none, with what failed."""
    try:
        return chat.ask(messages, meter, LINE, wanted), ""
    except ModelAccessError:
        raise
    except ModelError as error:
        meter.failed = True
        return Reply(), str(error)


def _told(reply: Reply, name: str) -> Any:
    """A field of the reply, or the reply itself where it is no JSON."""
    return reply.fields().get(name, "" if reply.text.startswith("{") else reply.text)


def _is_new(query: str, request: RewriteRequest) -> bool:
    line = one_line(query)
    if line is None or _REFUSAL.match(line) or without_markers(line) != line:
        return False
    return not any(same_query(line, old) for old in (*request.tried, request.question))


def _graded_by_model(request: RewriteRequest) -> bool:
    last = max((chunk["loop"] for chunk in request.documents), default=0)
    grades = [request.grades.get(c["chunk_id"]) for c in request.documents if c["loop"] == last]
    return any(grade is not None and grade["grader"] == "model" for grade in grades)


def one_line(reply: Any) -> str | None:
    """The one line a model was asked for, without label and quotation marks; None if what it
    wrote is no line of that kind: nothing, an essay, or words without a letter.
    """
    lines = [line.strip() for line in str(reply).splitlines() if line.strip()]
    if len(lines) != 1:
        lines = [line for line in lines[:3] if _LABEL.match(line)][:1]
    line = _LABEL.sub("", lines[0]).strip(" \"'`*“”") if lines else ""
    usable = any(c.isalnum() for c in line) and len(line) <= LONGEST_LINE and line.isprintable()
    return line if usable else None
