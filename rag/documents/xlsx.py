"""Excel workbooks (XLSX): each sheet a heading and its rows, with openpyxl."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

from rag.documents.archive import open_archive
from rag.documents.layout import row, words
from rag.documents.limits import check_size
from rag.documents.stream import Part, Reading

_ROWS = 200


def read(reading: Reading) -> Iterator[Part]:
    """Some two hundred rows at a time. Formulas show their last computed value."""
    with open_archive(reading) as archive:
        # openpyxl unpacks by itself, and holds all but the sheets in memory.
        for name in archive.names:
            if name.endswith(".xml") and "/worksheets/" not in name:
                check_size(archive.size(name), reading.limits.tree_bytes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from openpyxl import load_workbook

        book = load_workbook(reading.path, read_only=True, data_only=True, keep_links=False)
    try:
        reading.title = book.properties.title
        cells = 0
        for sheet in book.worksheets:
            # The size that a sheet claims is not the size it has.
            sheet.reset_dimensions()
            pending = [f"# {words(sheet.title)}\n\n"]
            for number, values in enumerate(sheet.iter_rows(values_only=True)):
                if number % _ROWS == 0:
                    reading.deadline.check()
                    yield Part("".join(pending))
                    pending.clear()
                line = row([shown(value) for value in values])
                if line:
                    pending.append(line + "\n")
                cells += len(values)
                if cells > reading.limits.cells:
                    reading.warn(f"only the first {reading.limits.cells:,} cells were read")
                    yield Part("".join(pending))
                    return
            yield Part("".join(pending) + "\n")
    finally:
        book.close()


def shown(value: Any) -> str:
    """A cell as a person would write it: no ".0", no midnight, no float noise."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
    if isinstance(value, date | time | timedelta):
        return str(value)
    return str(value)
