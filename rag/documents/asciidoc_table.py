"""A table of AsciiDoc: its rows, and the lines on which they begin."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rag.documents.csv import quoted_rows

_CELL = re.compile(
    r"(?:(?:^|(?<=[ \t]))(?:(\d{1,4})?(?:\.(\d{1,4}))?([*+]))?[<^>]?(?:\.[<^>])?[adehlmsv]?)?"
    r"(?<!\\)\|",
    re.MULTILINE,
)
_COLUMNS = re.compile(r"\bcols=(?:\"([^\"]*)\"|'([^']*)'|([^,\]]*))")
_REPEATED = re.compile(r"\s*(\d{1,3})\*")
_HEADER = re.compile(r"%header\b|(?:^|[%,\"' ])(?:options|opts)=\"?[\w,]*\bheader\b")
_NO_HEADER = re.compile(r"\bnoheader\b")
_FORMAT = re.compile(r"\bformat=\"?(csv|tsv|dsv)")
_DELIMITERS = {",": ",", ":": ":", "csv": ",", "tsv": "\t", "dsv": ":"}
_MOST = 100
"""Columns, and rows and columns that a cell may go over."""
_GROWTH = 1 << 20
"""How many characters the repetition of cells may put in."""

Row = tuple[int, list[str]]
"""The number of the line that it begins on, and its cells."""


def read_rows(lines: Sequence[str], attributes: str, mark: str) -> tuple[list[Row], bool]:
    """The rows between a table's delimiters, and whether the first is a header.

    `attributes`: the line of attributes above the table; `mark`: what its delimiter begins with.
    """
    implied = len(lines) > 1 and bool(lines[0].strip()) and not lines[1].strip()
    headed = bool(_HEADER.search(attributes)) or implied
    headed = headed and not _NO_HEADER.search(attributes)
    written = _FORMAT.search(attributes)
    delimiter = _DELIMITERS.get(written.group(1) if written else mark)
    if delimiter is not None:
        return quoted_rows(lines, delimiter), headed
    return _rows(lines, _column_count(attributes)), headed


def _column_count(attributes: str) -> int:
    """How many columns are declared, or 0."""
    found = _COLUMNS.search(attributes)
    if found is None:
        return 0
    count = 0
    for column in re.split("[,;]", next(each for each in found.groups() if each is not None)):
        repeated = _REPEATED.match(column)
        count += int(repeated.group(1)) if repeated else 1
    return min(count, _MOST)


def _rows(lines: Sequence[str], columns: int) -> list[Row]:
    text = "\n".join(lines)
    marks = list(_CELL.finditer(text))
    rows: list[Row] = []
    taken: Counter[int] = Counter()  # by cells of the rows above
    cells: list[str] = []
    number = width = begins = line = position = 0
    left = _GROWTH
    for index, mark in enumerate(marks):
        line += text.count("\n", position, mark.start())
        position = mark.start()
        if not columns and index and line > begins and width:
            columns = width
            rows.append((begins, cells))
            cells, number, width = [], number + 1, 0
        if not cells:
            begins, width = line, taken[number]
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        times, down, sign = mark.groups()
        across = min(int(times or 1), _MOST)
        repeated = across if sign == "*" and across * (end - mark.end()) < left else 1
        left -= (repeated - 1) * (end - mark.start())
        cells += [text[mark.end() : end].replace("\\|", "|")] * repeated
        width += across
        for below in range(1, min(int(down or 1), _MOST)):
            taken[number + below] += across
        if columns and width >= columns:
            rows.append((begins, cells))
            cells, number, width = [], number + 1, 0
    if cells:
        rows.append((begins, cells))
    return _one_a_line(rows)


def _one_a_line(rows: Sequence[Row]) -> list[Row]:
    """Rows that are written on one line are one."""
    merged: list[Row] = []
    for first, cells in rows:
        if merged and merged[-1][0] == first:
            merged[-1] = (first, merged[-1][1] + cells)
        else:
            merged.append((first, cells))
    return merged
