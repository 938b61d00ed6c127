"""Excel workbooks (XLSX, XLSB, XLS): each sheet a heading and its rows, with calamine. How numbers
are to be written, which it leaves out, is read where it says what one is: a share or an amount.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from rag.documents.archive import Archive
from rag.documents.layout import collapse_whitespace, row
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_PERCENT = {9: "0%", 10: "0.00%"}
"""The formats that have a number and no code of their own."""
_STYLED = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"[^>]{0,80}?\bs="(\d{1,5})"')
_UNSHOWN = re.compile(r"[_*\\].|\[(?!\$[^\]\-])[^\]]*\]")
"""Matches what a code says of room, of filling and of other signs, of colours and countries."""
_UNIT = r"""\s*(?:\[\$([^\]\-{}]{1,5})[^\]]{0,20}\]|"([^"{}]{1,8})"|([€£$¥%])|)\s*"""
_NUMBER = re.compile(rf"{_UNIT}([#0,]*0)(?:\.(0{{1,15}}))?{_UNIT}")
"""A whole code of one number: no fraction, no exponent, none that counts thousands."""

_Templates = Mapping[tuple[int, int], str]
"""How numbers are written, in Python's way of formatting, by row and column in a sheet, from 0."""


def read(reading: Reading) -> Iterator[Part]:
    """A row at a time. A formula stands as the value that is stored with it, an
    error as an empty cell.
    """
    formats: Mapping[str, _Templates] = {}
    if reading.format == "xlsx":
        # Calamine unpacks by itself; what its cells take is bounded by the worker's memory.
        with Archive(reading) as archive:
            reading.title = archive.core_title()
            with suppress(DocumentError, ValueError):  # the values count
                formats = _number_formats(archive)
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
        for values in _rows(book.get_sheet_by_name(sheet.name), formats.get(sheet.name, {})):
            if line := row([*map(cell_text, values)]):
                yield Part(f"{line}\n", anchor=anchor)
            cells += len(values)
            if cells > reading.limits.cells:
                reading.warn(f"only some {reading.limits.cells:,} cells were read")
                return
        yield Part("\n", anchor=anchor)


def _rows(sheet: Any, templates: _Templates) -> Iterator[list[Any]]:
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
        for column, value in enumerate(values if templates else ()):
            template = templates.get((number, column + first))
            if template is not None and type(value) in (int, float):
                with localcontext(rounding=ROUND_HALF_UP):
                    amount = template.format(abs(Decimal(repr(value))))
                values[column] = "-" * (value < 0) + amount
        for column, value in enumerate(values if ends else ()):
            if (number, column) in ends:
                tall[column] = ends[number, column], value
            elif column in tall and number <= tall[column][0]:
                values[column] = tall[column][1]
        yield values


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


def _number_formats(archive: Archive) -> dict[str, _Templates]:
    """The formats of cells that have such a one, by the sheet's name.

    Raises:
        DocumentError: a part is missing or damaged.
    """
    styles = _styles(archive)
    if not styles:
        return {}
    found: dict[str, _Templates] = {}
    for sheet, member in archive.related("xl/workbook.xml", "{*}sheets/{*}sheet"):
        part = b""
        with suppress(DocumentError):  # too long to be looked at
            part = archive.member(member)
        styled = (cell.groups() for cell in _STYLED.finditer(part))
        found[sheet.get("name") or ""] = {
            (int(row) - 1, _column(letters)): styles[int(style)]
            for letters, row, style in styled
            if int(style) in styles
        }
    return found


def _styles(archive: Archive) -> Mapping[int, str]:
    """The templates of those formats of cells that name a unit, by the numbers of the formats."""
    root = archive.root("xl/styles.xml")
    codes = {
        int(each.get("numFmtId") or 0): each.get("formatCode") or ""
        for each in root.iterfind("{*}numFmts/{*}numFmt")
    }
    templates = {number: _template(code) for number, code in {**_PERCENT, **codes}.items()}
    used = [int(each.get("numFmtId") or 0) for each in root.iterfind("{*}cellXfs/{*}xf")]
    return {number: found for number, each in enumerate(used) if (found := templates.get(each))}


def _template(code: str) -> str | None:
    """What a code says of positive numbers; None where it names no unit."""
    found = _NUMBER.fullmatch(_UNSHOWN.sub("", code.partition(";")[0]))
    if found is None:
        return None
    before, after = (
        next(filter(None, found.group(*sides)), "") for sides in ((1, 2, 3), (6, 7, 8))
    )
    number = f"{',' * (',' in found[4])}.{len(found[5] or '')}"
    if "%" in (before, after):
        return f"{{:{number}%}}"
    shown = f"{before}{{:{number}f}} {after}".rstrip()
    return shown if before or after else None


def _column(letters: bytes) -> int:
    column = 0
    for letter in letters:
        column = column * 26 + letter - ord("A") + 1
    return column - 1
