"""Asks a model for verdicts, on documents or claims, in one structured reply.

One property per item instead of a list: a server that constrains its output to the schema then
cannot leave one out, and no verdict can slip to its neighbour.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, create_model

from rag.budget import Budget
from rag.engines.openai.chat_model import ChatModel
from rag.engines.openai.prompts import Messages
from state.wording import without_surrogates

VERDICT = 60
"""The tokens that one verdict with its reason may take."""
_DECORATION = " \t\r\n*_`'\"“”.!,:"
Noun = Literal["document", "claim"]


def _bare(value: Any) -> Any:
    """A word however it is decorated; Pydantic takes a yes or no, and nothing else for one."""
    return value.strip(_DECORATION) if isinstance(value, str) else value


def _line(value: Any) -> str:
    return without_surrogates(" ".join(value.split())[:300]) if isinstance(value, str) else ""


# A string without a bound runs on where a schema is enforced. For the server only.
Line = Annotated[
    str, BeforeValidator(_line), Field(default="", json_schema_extra={"maxLength": 120})
]


class Verdict(BaseModel):
    """Of a document: whether it answers the question or a part of it. Of a claim: whether its quote
    supports it.
    """

    reason: Line
    holds: Annotated[bool, BeforeValidator(_bare)]


@lru_cache(maxsize=256)
def verdicts_model(noun: Noun, count: int) -> type[BaseModel]:
    """The Pydantic model of a reply about `count` items, numbered from 1."""
    asked: dict[str, Any] = {f"{noun}_{n}": (Verdict, ...) for n in range(1, count + 1)}
    return create_model(f"check_{noun}s", **asked)


def ask_verdicts(
    chat: ChatModel, messages: Messages, noun: Noun, count: int, budget: Budget
) -> list[Verdict]:
    """The verdicts on all items in their order, or none where the reply cannot be read."""
    model = verdicts_model(noun, count)
    told = chat.structured(messages, budget, VERDICT * (count + 1), model)
    return [] if told is None else [getattr(told, name) for name in model.model_fields]
