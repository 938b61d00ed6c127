"""JSON lines: one record a line, each as a block of `key: value` lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rag.documents.encoding import text_blocks
from rag.documents.json import lines, parse, pieces
from rag.documents.stream import Part, Reading

_LINE_CHARS = 1 << 24


def read(reading: Reading) -> Iterator[Part]:
    """Record after record; a line that is no JSON stays as it is."""
    return pieces(records(_rows(reading), reading), reading)


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
