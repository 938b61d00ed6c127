"""Asks a model for verdicts, on documents or claims: their schema, and how a reply is read.

One property per item instead of a list: a server that constrains its output to the schema then
cannot leave one out, and no verdict can slip to its neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationError, create_model

from rag.budget import Budget
from rag.engines.openai.chat_model import ChatModel, Request
from rag.engines.openai.prompts import Messages, grade_messages, verify_messages
from rag.engines.protocol import Engine, Graded, GradeRequest, Verified
from state.passages import Grade
from state.wording import many, without_surrogates

MOST_TOGETHER = 20
"""How many documents a model grades, the best of what was found; code grades the rest."""
VERDICT = 60
"""The tokens that one verdict with its reason may take."""
_DECORATION = " \t\r\n*_`'\"“”.!,:"
_WORDS = {"yes": True, "true": True, "no": False, "false": False}
Noun = Literal["document", "claim"]


def binary(value: Any) -> bool:
    """A yes or no, however it is decorated; anything else is an error, never a default."""
    word = value.strip(_DECORATION).casefold() if isinstance(value, str) else ""
    score = value if isinstance(value, bool) else _WORDS.get(word)
    if score is None:
        raise ValueError("neither yes nor no")
    return score


def _line(value: Any) -> str:
    return without_surrogates(" ".join(value.split())[:300]) if isinstance(value, str) else ""


Binary = Annotated[bool, BeforeValidator(binary)]
# A string without a bound runs on where a schema is enforced. For the server only.
Line = Annotated[
    str, BeforeValidator(_line), Field(default="", json_schema_extra={"maxLength": 120})
]


class Verdict(BaseModel):
    """Of a document: whether it answers the question or a part of it. Of a claim: whether its quote
    supports it.
    """

    reason: Line
    holds: Binary


@lru_cache(maxsize=256)
def verdicts_model(noun: Noun, count: int) -> type[BaseModel]:
    """The Pydantic model of a reply about `count` items, numbered from 1."""
    asked: dict[str, Any] = {f"{noun}_{n}": (Verdict, ...) for n in range(1, count + 1)}
    return create_model(f"check_{noun}s", **asked)


def read_verdicts(noun: Noun, count: int, told: Mapping[str, Any]) -> dict[int, Verdict]:
    """The verdicts that a reply really holds, by number; an item without one is absent."""
    found: dict[int, Verdict] = {}
    for key, value in {**({f"{noun}_1": told} if count == 1 else {}), **told}.items():
        match = re.fullmatch(rf"(?:{noun})?[\s_#-]*0*(\d{{1,4}})", key.strip().casefold())
        number = int(match[1]) if match else 0
        if not 1 <= number <= count:
            continue
        try:
            row = value if isinstance(value, Mapping) else {"holds": value}
            verdict = Verdict.model_validate(row)
        except ValidationError:
            continue
        if found.get(number, verdict).holds != verdict.holds:
            return {}
        found[number] = verdict
    return found


def grade(chat: ChatModel, local: Engine, request: GradeRequest, budget: Budget) -> Graded:
    """Grades in one structured call; `local` grades what the model gave no readable verdict on."""
    asked = request.chunks[:MOST_TOGETHER]
    verdicts = _asked(chat, grade_messages(request.question, asked), "document", len(asked), budget)
    grades = {
        chunk["chunk_id"]: _grade(chunk["chunk_id"], verdicts[number])
        for number, chunk in enumerate(asked, 1)
        if number in verdicts
    }
    if left := [chunk for chunk in request.chunks if chunk["chunk_id"] not in grades]:
        by_code = local.grade(replace(request, chunks=left)).grades
        grades |= {each["chunk_id"]: each for each in by_code}
    told = f"{chat.label} gave no readable grade for some; the local grader graded them."
    return Graded(
        grades=tuple(grades[chunk["chunk_id"]] for chunk in request.chunks),
        sufficient=any(each["relevant"] for each in (*grades.values(), *request.earlier.values())),
        warnings=(told,) if len(verdicts) < len(asked) else (),
    )


def verify(
    chat: ChatModel, claims: Sequence[str], quotes: Sequence[str], budget: Budget
) -> Verified:
    """Whether each claim is supported by the quote at the same index, asked in one call."""
    found = _asked(chat, verify_messages(claims, quotes), "claim", len(claims), budget)
    missing = len(claims) - len(found)
    warnings = (f"{chat.label} did not check {many(missing, 'claim')}.",) if missing else ()
    verdicts = [found.get(number) for number in range(1, len(claims) + 1)]
    return Verified(tuple(None if v is None else v.holds for v in verdicts), warnings=warnings)


def _asked(
    chat: ChatModel, messages: Messages, noun: Noun, count: int, budget: Budget
) -> dict[int, Verdict]:
    asked = Request(messages, budget, VERDICT * (count + 1), verdicts_model(noun, count))
    return read_verdicts(noun, count, chat.ask(asked).fields())


def _grade(chunk_id: str, verdict: Verdict) -> Grade:
    return {
        "chunk_id": chunk_id,
        "relevant": verdict.holds,
        "confidence": None,
        "reason": verdict.reason or None,
        "grader": "model",
    }
