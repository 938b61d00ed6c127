"""Jupyter notebooks (IPYNB): Markdown cells as they stand, code and its output fenced."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rag.documents.encoding import read_text
from rag.documents.layout import Layout
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_OUTPUT_CHARS = 20_000


def read(reading: Reading) -> Iterator[Part]:
    """One piece a cell. Pictures and HTML outputs are left out; their text form is kept."""
    try:
        notebook = json.loads(read_text(reading))
    except ValueError as error:
        raise DocumentError(f"damaged notebook: {error}") from error
    if not isinstance(notebook, dict):
        raise DocumentError("damaged notebook: it is no JSON object")
    language = _language(notebook)
    for cell in _cells(notebook):
        source = _joined(cell.get("source", cell.get("input")))
        if cell.get("cell_type") == "code":
            layout = Layout()
            layout.preformatted(source, language)
            for output in _dicts(cell.get("outputs")):
                layout.preformatted(_output(output))
            yield layout.part(after="\n")
        elif source.strip():
            yield Part(source.rstrip() + "\n\n")


def _cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from _dicts(notebook.get("cells"))
    for sheet in _dicts(notebook.get("worksheets")):  # format 3
        yield from _dicts(sheet.get("cells"))


def _language(notebook: dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    for key, field in (("kernelspec", "language"), ("language_info", "name")):
        found = metadata.get(key) if isinstance(metadata, dict) else None
        if isinstance(found, dict) and isinstance(found.get(field), str):
            return str(found[field])[:20]
    return "python"


def _output(output: dict[str, Any]) -> str:
    data = output.get("data")
    text = _joined(output.get("text"))
    if isinstance(data, dict):
        text = _joined(data.get("text/plain")) or _joined(data.get("text/markdown"))
    elif output.get("output_type") in {"error", "pyerr"}:
        text = f"{output.get('ename')}: {output.get('evalue')}"
    return text if len(text) <= _OUTPUT_CHARS else text[:_OUTPUT_CHARS] + "\n…"


def _joined(value: Any) -> str:
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
