"""Excel 97 to 2003 (XLS): each sheet a heading and its rows, with xlrd."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from rag.documents.cleaning import one_line
from rag.documents.layout import row, words
from rag.documents.stream import Part, Reading
from rag.documents.xlsx import shown
from state.errors import DocumentError

_ROWS = 200


def read(reading: Reading) -> Iterator[Part]:
    """Some two hundred rows at a time."""
    import xlrd

    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - a device
        try:
            book = xlrd.open_workbook(reading.path, logfile=nowhere, on_demand=True)
        except xlrd.XLRDError as error:
            if "encrypted" in str(error):
                raise DocumentError("encrypted Excel file: needs a password") from error
            raise DocumentError(f"damaged Excel file: {one_line(str(error))}") from error
        cells = 0
        for name in book.sheet_names():
            sheet = book.sheet_by_name(name)
            pending = [f"# {words(name)}\n\n"]
            for number in range(sheet.nrows):
                if number % _ROWS == 0:
                    reading.deadline.check()
                    yield Part("".join(pending))
                    pending.clear()
                line = row([_text(cell, book.datemode) for cell in sheet.row(number)])
                if line:
                    pending.append(line + "\n")
                cells += sheet.row_len(number)
                if cells > reading.limits.cells:
                    reading.warn(f"only the first {reading.limits.cells:,} cells were read")
                    yield Part("".join(pending))
                    return
            yield Part("".join(pending) + "\n")
            book.unload_sheet(name)


def _text(cell: Any, datemode: int) -> str:
    import xlrd

    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#ERROR"))
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return shown(bool(cell.value))
    if cell.ctype == xlrd.XL_CELL_DATE:
        try:
            return shown(xlrd.xldate_as_datetime(cell.value, datemode))
        except (ValueError, OverflowError):
            return shown(cell.value)
    return shown(cell.value)
