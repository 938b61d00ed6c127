"""Excel workbooks (XLSX, XLSB, XLS): each sheet a heading and its rows, with calamine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, time
from typing import Any

from rag.documents.archive import Archive, open_archive
from rag.documents.layout import row, words
from rag.documents.limits import check_size
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_ROWS = 200
_HELD_CELLS = 24_000_000
_CLAIM = re.compile(rb'<(?:\w+:)?dimension [^>]*ref="(?:[A-Z]+\d+:)?([A-Z]+)(\d+)"')
_CELL = re.compile(rb'<(?:\w+:)?c [^>/]*?r="([A-Z]{1,3})(\d{1,7})"[^>/]*>')


def read(reading: Reading) -> Iterator[Part]:
    """Some two hundred rows at a time. A formula is the value that is stored with it, a cell of an
    error empty.
    """
    if reading.format == "xlsx":
        with open_archive(reading) as archive:
            _check(archive, reading)
            reading.title = archive.core_title()
    import python_calamine as calamine

    try:
        book = calamine.load_workbook(reading.path)
    except calamine.PasswordError as error:
        raise DocumentError("encrypted Excel file: needs a password") from error
    cells = 0
    for sheet in book.sheets_metadata:
        if sheet.typ is not calamine.SheetTypeEnum.WorkSheet:
            continue
        title = words(sheet.name)
        anchor = f"sheet {title}"
        pending = [f"# {title}\n\n"]
        for number, values in enumerate(book.get_sheet_by_name(sheet.name).iter_rows()):
            if number % _ROWS == 0:
                yield Part("".join(pending), anchor=anchor)
                pending.clear()
            line = row([shown(value) for value in values])
            if line:
                pending.append(line + "\n")
            cells += len(values)
            if cells > reading.limits.cells:
                reading.warn(f"only the first {reading.limits.cells:,} cells were read")
                yield Part("".join(pending), anchor=anchor)
                return
        yield Part("".join(pending) + "\n", anchor=anchor)


def _check(archive: Archive, reading: Reading) -> None:
    """Calamine unpacks by itself, holds every sheet's cells from the first to the last row and
    column, and ends the process where memory ends.
    """
    for name, member in archive.members.items():
        if not name.endswith((".xml", "/sharedStrings.bin")):
            continue
        if "/worksheets/" not in name:
            check_size(member.file_size, reading.limits.tree_bytes)
        # The size that a sheet claims is often not the size it has.
        elif _claimed(archive, name) > _HELD_CELLS < _spread(archive, name):
            raise DocumentError("its cells lie too far apart to be read")


def _claimed(archive: Archive, name: str) -> int:
    found = _CLAIM.search(next(archive.blocks(name), b""))
    return _column(found[1]) * int(found[2]) if found else 0


def _spread(archive: Archive, name: str) -> int:
    """Rows times columns up to the last of each that has a value."""
    last_column = last_row = 0
    tail = b""
    for block in archive.blocks(name):
        for column, number in _CELL.findall(tail + block):
            last_column, last_row = max(last_column, _column(column)), max(last_row, int(number))
        tail = block[-200:]
    return last_column * last_row


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def shown(value: Any) -> str:
    """A cell as a person would write it: no ".0", no midnight, no float noise."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
    return str(value)
