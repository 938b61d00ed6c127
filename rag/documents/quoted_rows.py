"""Rows of comma-separated values that stand within a document, and where each begins."""

from __future__ import annotations

import csv
from collections.abc import Iterable


def quoted_rows(lines: Iterable[str], delimiter: str = ",") -> list[tuple[int, list[str]]]:
    """Of each row with anything in it, the number of its first line and its cells.

    Raises:
        csv.Error: a cell is longer than csv takes.
    """
    rows: list[tuple[int, list[str]]] = []
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, skipinitialspace=True)
    first = 0
    for cells in reader:
        if any(cell.strip() for cell in cells):
            rows.append((first, cells))
        first = reader.line_num
    return rows
