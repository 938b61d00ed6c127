"""Tables of text (CSV, TSV): rows as `a | b | c`; rows of prose as `column: value` lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from itertools import islice

from rag.documents.encoding import read_decoded
from rag.documents.layout import row
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_SAMPLE_ROWS, _SAMPLE_CHARS = 50, 1 << 18
_PROSE_WORDS = 40
_FIELD_CHARS = 1 << 24
_DELIMITERS = ",;\t|"
_NAMED_DELIMITER = re.compile("sep=(.)\n", re.DOTALL)
"""What Excel writes above a table."""


def read(reading: Reading) -> Iterator[Part]:
    csv.field_size_limit(_FIELD_CHARS)
    text, encoding, exact = read_decoded(reading)
    named = _NAMED_DELIMITER.match(text)
    sample = text[:_SAMPLE_CHARS]
    delimiter = named[1] if named else _delimiter(sample, reading.path.suffix.lower())
    if exact and not named and _is_prose(sample, delimiter):
        yield from _records(reading, delimiter, encoding)
        return
    rows = csv.reader(islice(StringIO(text), 1 if named else 0, None), delimiter=delimiter)
    try:
        yield Part("".join(line + "\n" for line in map(row, rows) if line))
    except csv.Error as error:
        raise DocumentError(f"damaged table in line {rows.line_num}: {error}") from error


def _records(reading: Reading, delimiter: str, encoding: str) -> Iterator[Part]:
    """Gives rows whose cells are prose as records: each value stands by its column's name, since a
    passage cut from such a row would otherwise be nameless.
    """
    from langchain_community.document_loaders.csv_loader import CSVLoader

    loader = CSVLoader(
        reading.path,
        encoding="utf-8-sig" if encoding == "utf-8" else encoding,
        csv_args={"delimiter": delimiter, "restkey": "more", "restval": ""},
    )
    try:
        for record in loader.lazy_load():
            yield Part(record.page_content.strip() + "\n\n")
    except RuntimeError as error:
        raise DocumentError(f"damaged table: {error.__cause__ or error}") from error


def _is_prose(sample: str, delimiter: str) -> bool:
    rows = _sample(sample, delimiter)
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(cells) > len(rows[0]) for cells in rows):
        return False
    longest = [max((cell.strip() for cell in cells), key=len) for cells in rows[1:]]
    prose = sum(cell.count(" ") > _PROSE_WORDS for cell in longest)
    return prose > len(longest) / 2


def _delimiter(sample: str, suffix: str) -> str:
    """The delimiter that cuts the first rows into the most equal, and then the most, cells."""
    if suffix in {".tsv", ".tab"} and "\t" in sample:
        return "\t"

    def fit(delimiter: str) -> tuple[float, int]:
        widths = [len(cells) for cells in _sample(sample, delimiter)] or [1]
        usual = max(set(widths), key=widths.count)
        return (widths.count(usual) / len(widths) * (usual > 1), usual)

    return max(_DELIMITERS, key=fit)


def _sample(sample: str, delimiter: str) -> list[list[str]]:
    """The first rows, up to one that is damaged."""
    rows: list[list[str]] = []
    found = csv.reader(StringIO(sample), delimiter=delimiter)
    with suppress(csv.Error):
        rows.extend(islice(filter(None, found), _SAMPLE_ROWS))
    return rows
