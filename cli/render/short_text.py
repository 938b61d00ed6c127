"""A place, a sum of money and foreign text, each on a part of a line."""

from __future__ import annotations

from cli.terminal import one_line
from state.written_place import written_place


def place(
    source: str, page: int | None = None, start: int | None = None, end: int | None = None
) -> str:
    """Where something stands, whatever the source is called."""
    return written_place(one_line(source), page, start, end)


def shorten(text: str, width: int) -> str:
    """`text` on one line, cut at a word with an ellipsis where it is longer than `width`."""
    line = " ".join(text.split())
    if len(line) <= width:
        return line
    head = line[: width - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[width // 2 :] else head) + "…"


def dollars(cost: float) -> str:
    """As in "$0.0123" or "$0.000039": four places, or two digits that count."""
    if cost >= 0.001 or cost <= 0:
        return f"${cost:.4f}"
    return f"${float(f'{cost:.2g}'):.12f}".rstrip("0")
