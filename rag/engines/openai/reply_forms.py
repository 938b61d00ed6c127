"""The forms in which a reply of a known shape can be asked for, the most reliable first.

A JSON schema constrains what a model can write at all; a function call is asked for, but on
many servers not enforced (llama.cpp ignores the object `tool_choice`); plain words bind
nobody, and are taken by every server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableBinding, RunnableSequence
    from langchain_openai import ChatOpenAI
    from pydantic import BaseModel

_NO_SCHEMAS = re.compile(r"gpt-(?:3|4-|4$)")
"""OpenAI's models from before JSON schemas; LangChain warns of each use."""


class ReplyForm(StrEnum):
    SCHEMA = "json_schema"
    TOOLS = "tools"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a structured reply shall hold; `shape` shows it as one line of JSON."""

    schema: type[BaseModel]
    shape: str


def forms_from(known: str | None, model: str) -> list[ReplyForm]:
    """What to ask for, then what to fall back to: from the form known to work, or the best."""
    first = ReplyForm.TOOLS if _NO_SCHEMAS.match(model) else ReplyForm.SCHEMA
    every = list(ReplyForm)
    if known in every:
        first = ReplyForm(known)
    return every[every.index(first) :]


def asking(model: ChatOpenAI, wanted: Wanted, form: ReplyForm) -> dict[str, Any]:
    """The parameters of a request that asks `model` for a reply in that form.

    with_structured_output makes two steps: the model bound to these parameters, and a parser
    that turns what it cannot read into None or an exception. Only the first is taken: the
    raw reply may still hold what was asked for. The copy of the schema for LangSmith, made
    anew for every call, is left out.
    """
    if form is ReplyForm.TEXT:
        return {}
    if form is ReplyForm.SCHEMA:
        schema = wanted.schema.model_json_schema()
        structured = model.with_structured_output(schema, method="json_schema", strict=True)
    else:
        structured = model.with_structured_output(wanted.schema, method="function_calling")
    binding = cast(
        "RunnableBinding[Any, Any]", cast("RunnableSequence[Any, Any]", structured).first
    )
    return {k: v for k, v in binding.kwargs.items() if k != "ls_structured_output_format"}


def shape_of(schema: type[BaseModel]) -> str:
    """The reply as one line of JSON with its kinds of values, for prompts."""
    whole = schema.model_json_schema()
    return _shown(whole, whole.get("$defs", {}))


def _shown(part: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    if "$ref" in part:
        return _shown(defs[str(part["$ref"]).rpartition("/")[2]], defs)
    if "enum" in part:
        return " or ".join(f'"{value}"' for value in part["enum"])
    kind = part.get("type")
    if kind == "object":
        rows = [f'"{k}": {_shown(v, defs)}' for k, v in part.get("properties", {}).items()]
        return "{" + ", ".join(rows) + "}"
    if kind == "array":
        return f"[{_shown(part.get('items', {}), defs)}, …]"
    return "true or false" if kind == "boolean" else '"…"'
