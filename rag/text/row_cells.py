"""A row of a table as it stands in a text, to its cells."""

from __future__ import annotations

from state.blocks import Extent


def cell_extents(line: str) -> list[Extent]:
    """Where each cell stands, without the white space around it."""
    mark = "|" if "|" in line else "\t"
    place = len(line) - len(line.lstrip().lstrip("|"))
    extents = []
    for cell in line.strip().strip("|").split(mark):
        start = place + len(cell) - len(cell.lstrip())
        extents.append((start, max(place + len(cell.rstrip()), start)))
        place += len(cell) + len(mark)
    return extents
