"""JSON as readable lines: `key: value`, nested by indentation; what is no JSON as plain text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from rag.documents import encoding
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_INDENT = "  "
_LINES = 2000
_LINE_CHARS = 1 << 24


def read(reading: Reading) -> Iterator[Part]:
    """The values in their order. Several values one after another are JSON lines: record after
    record, each as a block of `key: value` lines; a line that is no JSON stays as it is.
    """
    if reading.format == "jsonl":
        yield from pieces(records(_rows(reading), reading))
        return
    if reading.path.stat().st_size > reading.limits.tree_bytes:
        reading.warn("too large to be parsed as JSON: read as plain text")
        yield from encoding.read(reading)
        return
    text = encoding.read_text(reading)
    try:
        value = parse(text)
    except ValueError as error:
        yield from _not_json(text, error, reading)
        return
    if isinstance(value, dict) and isinstance(value.get("title"), str):
        reading.title = value["title"]
    yield from pieces(lines(value, reading.limits.depth))


def pieces(found: Iterable[str]) -> Iterator[Part]:
    """Lines in pieces of some thousand, since a piece has its price."""
    remaining = iter(found)
    while batch := list(islice(remaining, _LINES)):
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
                yield f"{indent}{key}: {scalar(item)}\n"
            elif item:
                yield f"{indent}{key}:\n"
                yield from lines(item, depth - 1, indent + _INDENT)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):
                yield from _item(item, depth, indent)
            else:
                yield f"{indent}- {scalar(item)}\n"
    else:
        yield f"{indent}{scalar(value)}\n"


def scalar(value: Any) -> str:
    """A leaf as text; null is empty."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _item(item: Any, depth: int, indent: str) -> Iterator[str]:
    first = True
    for line in lines(item, depth - 1, indent + _INDENT):
        yield f"{indent}- {line[len(indent) + len(_INDENT) :]}" if first else line
        first = False
    if not indent and not first:
        yield "\n"


def records(rows: Iterable[str], reading: Reading) -> Iterator[str]:
    """The records of rows of JSON, as blocks."""
    bad = 0
    for row in rows:
        if not row.strip():
            continue
        try:
            value = parse(row)
        except ValueError:
            bad += 1
            yield row.rstrip("\n") + "\n\n"
            continue
        yield "".join(lines(value, reading.limits.depth)) + "\n"
    if bad:
        reading.warn(f"{bad} lines are not valid JSON: read as plain text")


def _not_json(text: str, error: ValueError, reading: Reading) -> Iterator[Part]:
    rows = text.split("\n")
    first = next((row for row in rows if row.strip()), "")
    try:
        several = len(rows) > 1 and isinstance(parse(first), dict | list)
    except ValueError:
        several = False
    if several:
        yield from pieces(records(rows, reading))
    else:
        reading.warn(f"not valid JSON ({error}): read as plain text")
        yield Part(text)


def _rows(reading: Reading) -> Iterator[str]:
    rest = ""
    for block in encoding.text_blocks(reading):
        rows = (rest + block).split("\n")
        rest = rows.pop()
        yield from rows
        if len(rest) > _LINE_CHARS:
            yield rest
            rest = ""
    yield rest
