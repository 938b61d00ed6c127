"""JSON lines: one record a line, each as a block of `key: value` lines."""

from __future__ import annotations

from collections.abc import Iterator

from rag.documents.encoding import text_blocks
from rag.documents.json import pieces, records
from rag.documents.stream import Part, Reading

_LINE_CHARS = 1 << 24


def read(reading: Reading) -> Iterator[Part]:
    """Record after record; a line that is no JSON stays as it is."""
    return pieces(records(_rows(reading), reading), reading)


def _rows(reading: Reading) -> Iterator[str]:
    rest = ""
    for block in text_blocks(reading):
        rows = (rest + block).split("\n")
        rest = rows.pop()
        yield from rows
        if len(rest) > _LINE_CHARS:
            yield rest
            rest = ""
    yield rest
