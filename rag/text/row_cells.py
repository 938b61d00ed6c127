"""A row of a table as it stands in a text, to its cells."""

from __future__ import annotations


def cells_of_row(line: str) -> list[str]:
    """White space collapsed; an empty cell is an empty string."""
    mark = "|" if "|" in line else "\t"
    return [" ".join(cell.split()) for cell in line.strip().strip("|").split(mark)]
