"""JSON as readable lines: `key: value`, nested by indentation; what is no JSON as plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rag.documents import encoding
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_INDENT = "  "
_SPACE = re.compile(r"[\s\ufeff]*")


def read(reading: Reading) -> Iterator[Part]:
    """The values in their order, record after record of JSON lines; of what is none the line stays
    as it is, or all the rest of a file that is one value.
    """
    is_lines = reading.format == "jsonl"
    if not is_lines and reading.path.stat().st_size > reading.limits.tree_bytes:
        reading.warn("too large to be parsed as JSON: read as plain text")
        yield from encoding.read(reading)
        return
    for block in encoding.text_blocks(reading) if is_lines else [encoding.read_text(reading)]:
        yield from _values(block, reading, is_lines=is_lines)


def _values(text: str, reading: Reading, *, is_lines: bool) -> Iterator[Part]:
    # Numbers stay as they are written.
    decoder = json.JSONDecoder(parse_int=str, parse_float=str, strict=False)
    at = _begins(text, 0)
    while at < len(text):
        line_end = text.find("\n", at) + 1 or len(text)
        try:
            value, end = decoder.raw_decode(text, at)
        except RecursionError:
            raise DocumentError("nested too deeply") from None
        except ValueError as error:
            why = "some lines are not" if is_lines else f"{error}: not"
            reading.warn(f"{why} valid JSON, read as plain text")
            end = line_end if is_lines else len(text)
            yield Part(text[at:end].rstrip() + "\n\n")
        else:
            if not isinstance(value, dict | list) and text[end:line_end].strip():
                value, end = text[at:line_end].strip(), line_end  # a line that begins as a value
            if not is_lines and isinstance(value, dict) and isinstance(value.get("title"), str):
                reading.title = reading.title or value["title"]
            yield Part("".join(_lines(value, reading.limits.depth)) + "\n")
        at = _begins(text, end)


def _begins(text: str, at: int) -> int:
    """Where the next value is."""
    found = _SPACE.match(text, at)
    return found.end() if found else at


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
