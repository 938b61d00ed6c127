"""Tables of a PDF page, whose cells the text has one a line, as rows."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from rag.documents.layout import row, words

_GAP = re.compile(r"\s{2,}")
_SHORT = 40
"""Characters of a line that may be a cell: of prose in columns, lines are mostly longer."""
_FEWEST = 3
"""Rows, one right below the other: fewer may be chance."""

Cells = tuple[str, ...]


def may_hold_rows(text: str) -> bool:
    """Whether so many short lines stand together as a table's cells would."""
    together = 0
    for line in text.split("\n"):
        together = together + 1 if 0 < len(line.strip()) <= _SHORT else 0
        if together >= 2 * _FEWEST:
            return True
    return False


def with_rows(text: str, laid_out: str) -> str:
    """The text with its lines in their order, those on one line that are cells of one row:
    `laid_out`, the page as it looks, has them side by side.
    """
    beginning: defaultdict[str, set[Cells]] = defaultdict(set)
    for line in laid_out.split("\n"):
        cells = tuple(words(cell) for cell in _GAP.split(line.strip()))
        if len(cells) > 1 and max(map(len, cells)) <= _SHORT:
            beginning[cells[0]].add(cells)
    lines = text.split("\n")
    shown = [words(line) for line in lines]
    result: list[str] = []
    at = 0
    while at < len(lines):
        rows = _rows_from(at, shown, beginning)
        if len(rows) >= _FEWEST:
            result += map(row, rows)
            at += sum(map(len, rows))
        else:
            result.append(lines[at])
            at += 1
    return "\n".join(result)


def _rows_from(at: int, shown: Sequence[str], beginning: Mapping[str, set[Cells]]) -> list[Cells]:
    """The rows whose cells are the next lines, one row after the other."""
    rows: list[Cells] = []
    while at < len(shown):
        fits = [
            cells
            for cells in beginning.get(shown[at], ())
            if cells == tuple(shown[at : at + len(cells)])
        ]
        if not fits:
            break
        rows.append(max(fits, key=len))
        at += len(rows[-1])
    return rows
