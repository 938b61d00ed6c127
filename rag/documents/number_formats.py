"""The number formats of a workbook's cells (XLSX), as far as they say what a number is: a share in
percent, an amount of a currency.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from rag.documents.archive import Archive
from state.errors import DocumentError

_WORKBOOK, _STYLES = "xl/workbook.xml", "xl/styles.xml"
_PERCENT = {9: "0%", 10: "0.00%"}
"""The formats that have a number and no code of their own."""
_STYLED = re.compile(rb'<c r="([A-Z]{1,3})(\d{1,7})"[^>]{0,80}?\bs="(\d{1,5})"')
_UNSHOWN = re.compile(r"[_*\\].|\[(?!\$[^\]\-])[^\]]*\]")
"""Matches what a code says of room, of filling and of other signs, of colours and countries."""
_SIGN = re.compile(r'\[\$([^\]\-]{1,5})[^\]]{0,20}\]|"([^"]{1,8})"|([€£$¥])')
_QUOTED = re.compile(r'\[[^\]]*\]|"[^"]*"')
_PLACES = re.compile(r"[^#0?.,]*([#0,]*[#0])(?:\.(0{1,15}))?[^#0?.,/E]*")
"""Matches a whole code of one number: no fraction, no exponent, none that counts thousands."""

Place = tuple[int, int]
"""Row and column of a cell, from 0."""


class NumberFormat(NamedTuple):
    """What stands before and behind a number, and how many decimals it is shown with."""

    before: str
    behind: str
    decimals: int
    grouped: bool

    def shown(self, number: float) -> str:
        exact = Decimal(repr(number)) * (100 if self.behind == "%" else 1)
        rounded = exact.quantize(Decimal(1).scaleb(-self.decimals), ROUND_HALF_UP)
        amount = format(abs(rounded), f"{',' * self.grouped}f")
        return f"{'-' * (rounded < 0)}{self.before}{amount}{self.behind}"


def number_formats(archive: Archive) -> dict[str, dict[Place, NumberFormat]]:
    """The formats of cells that have such a one, by the sheet's name.

    Raises:
        DocumentError: a part is missing or damaged.
    """
    styles = _styles(archive)
    if not styles:
        return {}
    targets = archive.relations(_WORKBOOK)
    found: dict[str, dict[Place, NumberFormat]] = {}
    for sheet in archive.root(_WORKBOOK).iterfind("{*}sheets/{*}sheet"):
        key = next((value for name, value in sheet.items() if name.endswith("}id")), "")
        part = b""
        with suppress(DocumentError):  # too long to be looked at
            part = archive.member(targets[key][1]) if key in targets else part
        styled = (cell.groups() for cell in _STYLED.finditer(part))
        found[sheet.get("name") or ""] = {
            (int(row) - 1, _column(letters)): styles[int(style)]
            for letters, row, style in styled
            if int(style) in styles
        }
    return found


def _styles(archive: Archive) -> Mapping[int, NumberFormat]:
    root = archive.root(_STYLES)
    codes = {
        int(each.get("numFmtId") or 0): each.get("formatCode") or ""
        for each in root.iterfind("{*}numFmts/{*}numFmt")
    }
    codes = {**_PERCENT, **codes}
    used = [int(each.get("numFmtId") or 0) for each in root.iterfind("{*}cellXfs/{*}xf")]
    read = {number: _format(codes[each]) for number, each in enumerate(used) if each in codes}
    return {number: each for number, each in read.items() if each is not None}


def _format(code: str) -> NumberFormat | None:
    """What a code says of positive numbers; None where it names no unit."""
    code = _UNSHOWN.sub("", code.partition(";")[0])
    bare = _QUOTED.sub(lambda found: " " * len(found[0]), code)
    places, sign = _PLACES.fullmatch(bare), _SIGN.search(code)
    if places is None or ("%" not in bare and sign is None):
        return None
    decimals, grouped = len(places[2] or ""), "," in places[1]
    if "%" in bare or sign is None:
        return NumberFormat("", "%", decimals, grouped)
    said = next(filter(None, sign.groups()))
    if sign.start() < places.start(1):
        return NumberFormat(said, "", decimals, grouped)
    return NumberFormat("", f" {said.strip()}", decimals, grouped)


def _column(letters: bytes) -> int:
    column = 0
    for letter in letters:
        column = column * 26 + letter - ord("A") + 1
    return column - 1
