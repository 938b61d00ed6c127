"""A table of reStructuredText: where a drawn one stands, and the rows of any as `a | b`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.documents.layout import row

_BORDER = re.compile(r"\s*(?:\+[-=+]+\+|={2,}(?: +={2,})*)\s*$")


def find_table(lines: list[str], start: int) -> int | None:
    """The line of the first border from line `start` on."""
    below = range(start, len(lines))
    return next((index for index in below if _BORDER.match(lines[index])), None)


def write_table(
    lines: list[str], out: list[str], first: int, rows: Sequence[Sequence[str]]
) -> tuple[list[int], int]:
    """Writes the rows of the table at `first` of `lines` into `out`; their lines, and where the
    table ends. One with cells over several rows is left as it is drawn: no lines.
    """
    places, end = _row_lines(lines, first)
    if len(places) != len(rows):
        for index in range(first, end):
            out[index] = out[index].replace("``", "")
        return [], end
    line = lines[first]
    indent = line[: len(line) - len(line.lstrip())]
    for index in range(first, end):
        out[index] = ""
    for place, written in zip(places, rows, strict=True):
        cells = (" ".join(cell.split()) for cell in written)
        out[place] = (indent + " | ".join(cells)).rstrip(" |")
    return places, end


def write_rows(
    out: list[str], first: int, height: int, title: str, rows: Sequence[tuple[int, Sequence[str]]]
) -> list[int]:
    """Writes a table that stands on `height` lines from `first` on, each row on its own line, its
    title on the first; the lines of the rows.
    """
    for index in range(first, min(first + height, len(out))):
        out[index] = ""
    out[first] = title
    for line, cells in rows:
        out[line] = row(cells)
    return [line for line, _ in rows if out[line]]


def _row_lines(lines: list[str], first: int) -> tuple[list[int], int]:
    """The line that each row of the table begins on, and where the table ends."""
    grid = lines[first].lstrip().startswith("+")
    column = len(lines[first]) - len(lines[first].lstrip())
    rows: list[int] = []
    fresh = True
    index, borders = first, 0
    while index < len(lines):
        line = lines[index]
        if _BORDER.match(line):
            borders += 1
            fresh = True
            done = index + 1 == len(lines) or not lines[index + 1].strip()
            if not grid and borders > 1 and done:
                return rows, index + 1
        elif grid and not line.strip().startswith(("|", "+")):
            return rows, index
        elif line.strip() and (fresh if grid else line[column : column + 1] != " "):
            rows.append(index)
            fresh = False
        index += 1
    return rows, index
