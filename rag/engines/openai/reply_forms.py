"""The forms in which a reply of a known shape can be asked for, the more reliable first.

A JSON schema constrains what a model can write at all. The shape is told in words besides, which
is all that a server gets that takes no schema.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

_NO_SCHEMAS = re.compile(r"gpt-(?:3|4-|4$)")
"""OpenAI's models from before JSON schemas."""


class ReplyForm(StrEnum):
    SCHEMA = "json_schema"
    TEXT = "text"


def forms_from(known: str | None, model: str) -> list[ReplyForm]:
    """What to ask for, then what to fall back to: from the form known to work, or the best."""
    if known == ReplyForm.TEXT or (known is None and _NO_SCHEMAS.match(model)):
        return [ReplyForm.TEXT]
    return list(ReplyForm)


@lru_cache(maxsize=256)
def asking(schema: type[BaseModel], form: ReplyForm) -> dict[str, Any]:
    """The fields of a request that ask for a reply in that form."""
    from langchain_core.utils.function_calling import convert_to_openai_function

    if form is ReplyForm.TEXT:
        return {}
    named = convert_to_openai_function(schema.model_json_schema(), strict=True)
    named["schema"] = named.pop("parameters")
    return {"response_format": {"type": "json_schema", "json_schema": named}}


@lru_cache(maxsize=256)
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
