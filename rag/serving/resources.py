"""Cited places as resources of the server: their addresses, and what reading one gives."""

from __future__ import annotations

from urllib.parse import quote

TEMPLATE = "crag://source/{+source}{?lines}"
"""`lines` as in 12-14; without it the beginning."""

_AROUND = 3
_MOST_LINES = 400


def place_uri(source: str, start: int | None, end: int | None) -> str:
    path = quote(source.encode("utf-8", "surrogateescape"), safe="/")
    if start is None:
        return f"crag://source/{path}"
    return f"crag://source/{path}?lines={start}-{end or start}"


def lines_of(text: str, lines: str) -> str:
    """The lines that `lines` names with those around them, or the first ones."""
    first, _, last = lines.partition("-")
    if not first.isdigit() or not (last or first).isdigit():
        return "\n".join(text.split("\n")[:_MOST_LINES])
    begin = max(0, int(first) - 1 - _AROUND)
    end = min(int(last or first) + _AROUND, begin + _MOST_LINES)
    return "\n".join(text.split("\n")[begin:end])
