"""Reading what a model really sent, without ever guessing a verdict from it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

LONGEST = 100_000
DEEPEST = 4
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_UNCLOSED = re.compile(r"<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_NUMBERS = ("document", "claim", "id", "number", "index", "document_id", "claim_id")


CONFLICT = object()
"""Stands for a value that a reply gave twice, differently; no schema accepts it."""


def fields(message: AIMessage) -> dict[str, Any]:
    """All fields of a structured reply: from its calls, broken calls, text or thinking.

    Several calls are read together, since some models send one per document; a field that
    they fill differently holds CONFLICT.
    """
    objects: list[Mapping[str, Any]] = [call["args"] for call in message.tool_calls]
    objects += [
        found
        for call in message.invalid_tool_calls
        for found in json_objects(call.get("args") or "")
    ]
    text = plain_text(message)
    if not objects and not text:  # where a server's reading of the thinking took everything
        thought = message.additional_kwargs.get("reasoning_content")
        text = _THINKING.sub("", thought[:LONGEST]) if isinstance(thought, str) else ""
    return _merge([_unwrapped(found) for found in objects or json_objects(text)])


def plain_text(message: AIMessage) -> str:
    """The reply's text without its thinking."""
    text = _THINKING.sub("", message.text[:LONGEST])
    if re.match(r"\s*<think", text, re.IGNORECASE):
        text = _UNCLOSED.sub("", text)
    # Some servers leave out the opening tag, which their template put into the prompt.
    return re.split(r"</think(?:ing)?>", text, flags=re.IGNORECASE)[-1].strip()


def json_objects(text: str) -> list[Mapping[str, Any]]:
    """The top-level JSON objects in `text`, whatever stands around them.

    Trailing commas are forgiven, and braces doubled as a template has them; an object that
    is cut off is no object.
    """
    clean = _COMMA.sub(lambda match: match.group(1) or "", text[:LONGEST])
    objects: list[Mapping[str, Any]] = []
    at = clean.find("{")
    while at >= 0:
        decoded = _decoded(clean, at)
        if decoded is None and clean[at : at + 2] == "{{":
            # The outer braces alone are doubled, or all of them are.
            inner = clean.find("{", at + 1)
            halved = clean[at:].replace("{{", "{").replace("}}", "}")
            decoded = _decoded(clean, inner)
            if decoded is None and (whole := _decoded(halved, 0)) is not None:
                return [*objects, whole[0]]
        if decoded is None:
            # What follows lies inside a broken object: its parts are not an answer.
            break
        found, end = decoded
        objects.append(found)
        at = clean.find("{", end)
    return objects


def _decoded(text: str, at: int) -> tuple[Mapping[str, Any], int] | None:
    try:
        found, end = json.JSONDecoder(object_pairs_hook=_unique, strict=False).raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return found, end


def _unwrapped(found: Mapping[str, Any], depth: int = 0) -> Mapping[str, Any]:
    """What was asked for, out of the wrapping that models put around it: a call written as
    text ({"name", "arguments"}), the tool's name as a key, a list of numbered rows.
    """
    if depth >= DEEPEST:
        return found
    inner = next((found[key] for key in _ARGUMENTS if key in found), None)
    if inner is not None and isinstance(found.get("name"), str):
        return _unwrapped(_object(inner), depth + 1)
    for key, value in found.items():
        if isinstance(value, list) and (rows := dict(_rows(value))):
            return {**{k: v for k, v in found.items() if k != key}, **rows}
    if len(found) == 1:
        (key, value), *_ = found.items()
        if isinstance(value, Mapping) and any(isinstance(v, Mapping) for v in value.values()):
            return _unwrapped(value, depth + 1)
    return found


def _object(value: Any) -> Mapping[str, Any]:
    if isinstance(value, str):
        value = next(iter(json_objects(value)), {})
    return value if isinstance(value, Mapping) else {}


def _rows(values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Rows that say themselves which item they are about; a number given twice stays out."""
    seen: dict[str, list[Any]] = {}
    for row in values:
        key = next((row[k] for k in _NUMBERS if k in row), None) if isinstance(row, dict) else None
        if isinstance(key, (int, str)) and (digits := re.search(r"\d{1,4}$", str(key))):
            seen.setdefault(digits.group(), []).append(row)
    yield from ((key, rows[0]) for key, rows in seen.items() if len(rows) == 1)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return _merge([{key: value} for key, value in pairs])


def _merge(objects: list[Mapping[str, Any]]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for found in objects:
        for key, value in found.items():
            merged[key] = value if merged.get(key, value) == value else CONFLICT
    return merged
