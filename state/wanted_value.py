"""What an unusable setting should be, as a person would say it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WANTED = {
    "int": "a whole number is wanted",
    "float": "a number is wanted",
    "bool": "true or false is wanted",
    "string": "text is wanted",
    "path": "a path is wanted",
    "dict": "a table is wanted",
    "enum": "{expected} is wanted",
    "missing": "a value is missing",
    "greater_than": "more than {gt:,g} is wanted",
    "greater_than_equal": "at least {ge:,g} is wanted",
    "less_than_equal": "at most {le:,.0f} is wanted",
}
"""By pydantic's type of the error, or by what that begins with."""


def wanted_value(kind: str, values: Mapping[str, Any], message: str) -> str:
    """`kind`, `values` and `message` are the error's type, context and text."""
    told = _WANTED.get(kind) or _WANTED.get(kind.partition("_")[0])
    return message.removeprefix("Value error, ") if told is None else told.format(**values)
