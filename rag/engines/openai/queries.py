"""contextualize and transform_query with a model: one line in, one line out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rag.engines.openai import output_limits
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompt_echo import says_nothing
from rag.engines.openai.prompts import (
    Messages,
    contextualize_messages,
    rewrite_messages,
    without_markers,
)
from rag.engines.openai.replies import plain_text
from rag.engines.openai.usage_meter import UsageMeter
from rag.engines.protocol import Contextualized, Engine, RewriteRequest, Rewritten, same_query
from state.errors import ModelAccessError, ModelError
from state.passages import HistoryTurn

LONGEST_LINE = 500
_LABEL = re.compile(
    r"^\W*(?:stand-?alone |search |better |rewritten )?(?:question|query)\W*:\s*", re.IGNORECASE
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
    line, failure = _line_of(chat, contextualize_messages(question, history), meter)
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
    answers = [("user", turn["answer"]) for turn in history]
    if not asks or says_nothing(line, answers, question) or without_markers(line) != line:
        return False
    asked = [old for turn in history for old in (turn["question"], turn["standalone_question"])]
    return not any(same_query(line, old) for old in asked)


def _line_of(chat: ChatModel, messages: Messages, meter: UsageMeter) -> tuple[str | None, str]:
    """The line that the model wrote, None if it wrote no such; and what failed, if it did."""
    try:
        return one_line(plain_text(chat.ask(messages, meter, output_limits.LINE))), ""
    except ModelAccessError:
        raise
    except ModelError as error:
        meter.failed = True
        return None, str(error)


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
    if not (found or _graded_by_model(request)):
        messages = rewrite_messages(request.question, request.tried, request.documents)
        line, failure = _line_of(chat, messages, meter)
        if failure:
            warnings = (f"{failure} The query was rewritten by code.",)
        if line is not None and _is_new(line, request):
            return Rewritten(line, "the model put it in other words")
    by_code = local.rewrite(request)
    reason = f"the model proposed no new query; {by_code.reason}"
    return Rewritten(by_code.query, reason, warnings=(*warnings, *by_code.warnings))


def _is_new(query: str, request: RewriteRequest) -> bool:
    line = one_line(query)
    if line is None or says_nothing(line) or without_markers(line) != line:
        return False
    return not any(same_query(line, old) for old in (*request.tried, request.question))


def _graded_by_model(request: RewriteRequest) -> bool:
    last = max((chunk["loop"] for chunk in request.documents), default=0)
    return any(
        chunk["loop"] == last
        and chunk["chunk_id"] in request.grades
        and request.grades[chunk["chunk_id"]]["grader"] == "model"
        for chunk in request.documents
    )


def one_line(reply: str) -> str | None:
    """The one line a model was asked for, without label and quotation marks; None if what it
    wrote is no line of that kind: nothing, an essay, or words without a letter.
    """
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    if len(lines) != 1:
        lines = [line for line in lines[:3] if _LABEL.match(line)][:1]
    line = _LABEL.sub("", lines[0]).strip(" \"'`*“”") if lines else ""
    usable = any(c.isalnum() for c in line) and len(line) <= LONGEST_LINE and line.isprintable()
    return line if usable else None
