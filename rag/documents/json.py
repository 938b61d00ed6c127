"""JSON as readable lines: `key: value`, nested by indentation; what is no JSON as plain text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rag.documents import encoding
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_INDENT = "  "


def read(reading: Reading) -> Iterator[Part]:
    """The values in their order: of a file that is one value, else line by line, of which one that
    is no JSON stays as it is.
    """
    blocks: Iterator[str] = encoding.text_blocks(reading)
    if reading.format == "json" and reading.path.stat().st_size <= reading.limits.tree_bytes:
        text = "".join(blocks).lstrip("\ufeff")
        try:
            value = _parsed(text)
        except ValueError:
            blocks = iter([text])
        else:
            if isinstance(value, dict) and isinstance(value.get("title"), str):
                reading.title = value["title"]
            yield _part(value, reading)
            return
    for block in blocks:
        for line in filter(str.strip, block.split("\n")):
            try:
                part = _part(_parsed(line), reading)
            except ValueError:
                reading.warn("some lines are not valid JSON, read as plain text")
                part = Part(line + "\n")
            yield part


def _parsed(text: str) -> Any:
    """A value whose numbers stay as they are written."""
    return json.loads(text, parse_int=str, parse_float=str, strict=False)


def _part(value: Any, reading: Reading) -> Part:
    return Part("".join(_lines(value, reading.limits.depth)) + "\n")


def _lines(value: Any, depth: int, indent: str = "") -> Iterator[str]:
    """A value as lines; an object in a list begins with a dash, as in YAML."""
    if depth < 0:
        raise DocumentError("nested too deeply")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(item, dict | list):
                yield f"{indent}{key}: {_scalar(item)}\n"
            elif item:
                yield f"{indent}{key}:\n"
                yield from _lines(item, depth - 1, indent + _INDENT)
    elif isinstance(value, list):
        for item in value:
            if not isinstance(item, dict | list):
                yield f"{indent}- {_scalar(item)}\n"
                continue
            inner = _lines(item, depth - 1, indent + _INDENT)
            if first := next(inner, ""):
                yield f"{indent}- {first[len(indent) + len(_INDENT) :]}"
                yield from inner
                yield "" if indent else "\n"
    else:
        yield f"{indent}{_scalar(value)}\n"


def _scalar(value: Any) -> str:
    """A leaf as text; null is empty."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
