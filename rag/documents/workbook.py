"""Excel workbooks (XLSX, XLSB, XLS): each sheet a heading and its rows, with calamine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, time, timedelta
from itertools import islice
from typing import Any

from rag.documents.archive import Archive
from rag.documents.layout import collapse_whitespace, row
from rag.documents.number_formats import NumberFormat, Place, number_formats
from rag.documents.stream import Part, Reading
from state.errors import DocumentError
from state.wording import many

_ROWS = 200
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_UNCOMPUTED = re.compile(
    rb'<c (?![^>]*t="str")[^>]*><f\b(?:[^>]*/>|[^>]*>[^<]*</f>)(?:<v ?/>|<v></v>)?</c>'
)
"""A cell with a formula and no value, as programs write that compute none."""


def read(reading: Reading) -> Iterator[Part]:
    """Some two hundred rows at a time. A formula stands as the value that is stored with it, an
    error as an empty cell.
    """
    formats: Mapping[str, Mapping[Place, NumberFormat]] = {}
    if reading.format == "xlsx":
        # Calamine unpacks by itself; what its cells take is bounded by the worker's memory.
        with Archive(reading) as archive:
            reading.title = archive.core_title()
            if count := _uncomputed(archive, reading.limits.tree_bytes):
                told = f"{many(count, 'formula')} without a stored value left out"
                reading.warn(f"{told}: save it once in a spreadsheet program")
            with suppress(DocumentError, ValueError):  # the values count
                formats = number_formats(archive)
    import python_calamine as calamine

    try:
        book = calamine.load_workbook(reading.path)
    except calamine.PasswordError as error:
        raise DocumentError("encrypted Excel file: needs a password") from error
    cells = 0
    for sheet in book.sheets_metadata:
        if sheet.typ is not calamine.SheetTypeEnum.WorkSheet:
            continue
        title = collapse_whitespace(sheet.name)
        anchor = f"sheet {title}"
        yield Part(f"# {title}\n\n", anchor=anchor)
        rows = _rows(book.get_sheet_by_name(sheet.name), formats.get(sheet.name, {}))
        while some := list(islice(rows, _ROWS)):
            lines = (row([cell_text(value) for value in values]) for values in some)
            yield Part("".join(line + "\n" for line in lines if line), anchor=anchor)
            cells += sum(map(len, some))
            if cells > reading.limits.cells:
                reading.warn(f"only some {reading.limits.cells:,} cells were read")
                return
        yield Part("\n", anchor=anchor)


def _rows(sheet: Any, formats: Mapping[Place, NumberFormat]) -> Iterator[list[Any]]:
    """The rows of a sheet, numbers with what their format says they are of; a cell merged over
    several rows stands in each.
    """
    first = sheet.start[1] if sheet.start else 0
    ends = {
        (top, left - first): bottom
        for (top, left), (bottom, right) in sheet.merged_cell_ranges or ()
        if left == right
    }
    tall: dict[int, tuple[int, Any]] = {}  # of a column: the last row of a merged cell, its value
    for number, values in enumerate(sheet.iter_rows()):
        for column, value in enumerate(values if formats else ()):
            shown = formats.get((number, column + first))
            if shown is not None and type(value) in (int, float):
                values[column] = shown.shown(value)
        for column, value in enumerate(values if ends else ()):
            if (number, column) in ends:
                tall[column] = ends[number, column], value
            elif column in tall and number <= tall[column][0]:
                values[column] = tall[column][1]
        yield values


def _uncomputed(archive: Archive, most: int) -> int:
    """How many formulas have no stored value, in sheets of at most `most` bytes."""
    sheets = [each for each in archive.infolist() if _SHEET.fullmatch(each.filename)]
    with suppress(DocumentError):  # what is damaged, calamine tells
        small = (archive.member(each.filename) for each in sheets if each.file_size <= most)
        return sum(len(_UNCOMPUTED.findall(data)) for data in small)
    return 0


def cell_text(value: Any) -> str:
    """A cell as a person would write it: no ".0", no midnight, no float noise."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
    return str(value)
