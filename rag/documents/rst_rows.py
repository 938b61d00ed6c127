"""The rows of reStructuredText's tables that are written as lists or as values between commas."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

_MARKS = ("*", "-", "+")


def listed_rows(lines: Sequence[str], begin: int) -> Iterator[tuple[int, list[str]]]:
    """Rows that are items, their cells items within, each with the number of its first line."""
    edge = next((len(line) - len(line.lstrip()) for line in lines if line.strip()), 0)
    rows: list[tuple[int, list[list[str]]]] = []  # of each cell its lines
    inner = 0
    for number, line in enumerate(lines, begin):
        text = line[edge:]
        if begins := text[:1] in _MARKS:
            inner = len(text) - len(text[1:].lstrip())
            rows.append((number, []))
        if begins or (rows and not text[:inner].strip() and text[inner : inner + 1] in _MARKS):
            rows[-1][1].append([text[inner + 1 :]])
        elif rows:
            rows[-1][1][-1].append(text)
    for number, cells in rows:
        yield number, list(map("\n".join, cells))


def valued_rows(lines: Iterable[str], begin: int) -> Iterator[tuple[int, list[str]]]:
    """Rows of values between commas, each with the number of its first line."""
    rows = csv.reader((line.strip() + "\n" for line in lines), skipinitialspace=True)
    number = begin
    with suppress(csv.Error):
        for cells in rows:
            if cells:
                yield number, cells
            number = begin + rows.line_num


def drawn_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()) for cell in cells)} |"
