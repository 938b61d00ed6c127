"""JSON as readable lines: `key: value`, nested by indentation; what is no JSON as plain text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from rag.documents import encoding
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_INDENT = "  "
_LINES = 2000


def read(reading: Reading) -> Iterator[Part]:
    """The values in their order. Several values one after another are JSON lines: record after
    record, each as a block of `key: value` lines; a line that is no JSON stays as it is.
    """
    if reading.format == "jsonl":
        yield from _records(encoding.text_blocks(reading), reading)
        return
    if reading.path.stat().st_size > reading.limits.tree_bytes:
        reading.warn("too large to be parsed as JSON: read as plain text")
        yield from encoding.read(reading)
        return
    text = encoding.read_text(reading)
    try:
        value = parse(text)
    except ValueError as error:
        if _is_records(text):
            yield from _records([text], reading)
        else:
            reading.warn(f"not valid JSON ({error}): read as plain text")
            yield Part(text)
        return
    if isinstance(value, dict) and isinstance(value.get("title"), str):
        reading.title = value["title"]
    written = lines(value, reading.limits.depth)
    while batch := list(islice(written, _LINES)):  # a piece has its price
        yield Part("".join(batch))


def parse(text: str) -> Any:
    """The value, its numbers as they are written.

    Raises:
        ValueError: it is no JSON.
        DocumentError: it is nested too deeply.
    """
    try:
        return json.loads(text.lstrip("\ufeff"), parse_int=str, parse_float=str, strict=False)
    except RecursionError:
        raise DocumentError("nested too deeply") from None


def lines(value: Any, depth: int, indent: str = "") -> Iterator[str]:
    """A value as lines; an object in a list begins with a dash, as in YAML."""
    if depth < 0:
        raise DocumentError("nested too deeply")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(item, dict | list):
                yield f"{indent}{key}: {_scalar(item)}\n"
            elif item:
                yield f"{indent}{key}:\n"
                yield from lines(item, depth - 1, indent + _INDENT)
    elif isinstance(value, list):
        for item in value:
            if not isinstance(item, dict | list):
                yield f"{indent}- {_scalar(item)}\n"
                continue
            inner = lines(item, depth - 1, indent + _INDENT)
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


def _is_records(text: str) -> bool:
    """Whether the first of several lines is a record by itself."""
    first, _, rest = text.lstrip().partition("\n")
    try:
        return bool(rest.strip()) and isinstance(parse(first), dict | list)
    except ValueError:
        return False


def _records(blocks: Iterator[str] | list[str], reading: Reading) -> Iterator[Part]:
    """A piece a block of whole lines, in which each record is a block."""
    bad = 0
    for block in blocks:
        shown: list[str] = []
        for row in filter(str.strip, block.split("\n")):
            try:
                shown += [*lines(parse(row), reading.limits.depth), "\n"]
            except ValueError:
                bad += 1
                shown.append(row + "\n\n")
        yield Part("".join(shown))
    if bad:
        reading.warn(f"{bad} lines are not valid JSON: read as plain text")
