"""Cited places as resources of the server: their addresses, and what reading one gives."""

from __future__ import annotations

import re
from urllib.parse import quote

TEMPLATE = "crag://source/{+source}{?lines}"
"""`lines` as in 12-14; without it the beginning."""

_LINES = re.compile(r"([0-9]{1,9})(?:-([0-9]{0,9}))?")
_AROUND = 3
_MOST_LINES = 400


def place_uri(source: str, start: int | None, end: int | None) -> str:
    path = quote(source.encode("utf-8", "surrogateescape"), safe="/")
    if start is None:
        return f"crag://source/{path}"
    return f"crag://source/{path}?lines={start}-{end or start}"


def lines_of(text: str, lines: str) -> str:
    """The lines that `lines` names with those around them, or the first ones."""
    named = _LINES.fullmatch(lines)
    if named is None:
        return "\n".join(text.split("\n")[:_MOST_LINES])
    begin = max(0, int(named[1]) - 1 - _AROUND)
    end = min(int(named[2] or named[1]) + _AROUND, begin + _MOST_LINES)
    return "\n".join(text.split("\n")[begin:end])
