"""Jupyter notebooks (IPYNB): Markdown cells as they stand, code and its output fenced."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rag.documents.encoding import read_decoded
from rag.documents.layout import Layout
from rag.documents.stream import Part, Reading

_OUTPUT_CHARS = 20_000
_SEEN = ("image/", "application/vnd.")
"""Types of outputs that are drawn: the text that comes with them only names an object."""


def read(reading: Reading) -> Iterator[Part]:
    """One piece a cell. Pictures are left out; of a table as HTML the text form is kept."""
    for cell in _dicts(json.loads(read_decoded(reading).text), "cells"):
        source = _joined(cell.get("source"))
        if cell.get("cell_type") == "code":
            layout = Layout()
            layout.preformatted(source)
            for output in _dicts(cell, "outputs"):
                layout.preformatted(_output(output)[:_OUTPUT_CHARS])
            yield layout.part(after="\n")
        elif source.strip():
            yield Part(source.rstrip() + "\n\n")


def _output(output: dict[str, Any]) -> str:
    if "ename" in output:
        return f"{output['ename']}: {output.get('evalue')}"
    data = output.get("data")
    if isinstance(data, dict) and any(key.startswith(_SEEN) for key in data):
        return ""
    return _joined(data.get("text/plain") if isinstance(data, dict) else output.get("text"))


def _joined(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _dicts(value: Any, key: str) -> list[dict[str, Any]]:
    held = value.get(key) if isinstance(value, dict) else None
    return [each for each in held if isinstance(each, dict)] if isinstance(held, list) else []
