"""Text on a terminal: prose wrapped at words, tables in columns, code as it was written; places,
sums of money and foreign text on a part of a line.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from cli.terminal import one_line, rows
from state.wording import written_place

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_ANCHOR = 60
_FENCES = ("```", "~~~")
_RULE = re.compile(r"[\s|:-]+")


def place(
    source: str,
    page: int | None = None,
    start: int | None = None,
    end: int | None = None,
    anchor: str | None = None,
) -> str:
    """Where something stands, whatever the source and its headings are called."""
    named = None if anchor is None else shorten(one_line(anchor), _ANCHOR)
    return written_place(one_line(source), page, start, end, named)


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


def print_wrapped(console: Console, text: Text, indent: str = "") -> None:
    """No line is broken in code or within a word (an address), so that each is copied as it was
    written. Each begins behind `indent`.
    """
    from rich.text import Text

    fenced = False
    lines: list[tuple[str, Text]] = []
    for line in text.split("\n", allow_blank=True):
        plain = line.plain.strip()
        mark = plain.startswith(_FENCES)
        code = fenced or mark or line.plain.startswith(("    ", "\t"))
        drawn = " | " in plain or plain.startswith("|")
        lines.append(("code" if code else "row" if drawn else "prose", line))
        fenced ^= mark
    for kind, some in groupby(lines, key=lambda each: each[0]):
        block = [line for _, line in some]
        if kind == "row" and _print_table(console, block, len(indent)):
            continue
        for line in block:
            inset = Text(indent).append_text(line) if line.plain else line
            for row in rows(inset, console) if kind == "prose" else [inset]:
                console.print(row, soft_wrap=True)


def _print_table(console: Console, lines: list[Text], indent: int) -> bool:
    """In columns as wide as they may be; where a line has more cells than the first it is none."""
    from rich.padding import Padding
    from rich.table import Table

    from rag.text.row_cells import cell_extents

    drawn = [line for line in lines if not _RULE.fullmatch(line.plain)]
    cells = [[line[start:end] for start, end in cell_extents(line.plain)] for line in drawn]
    if len(cells) < 2 or len(cells[0]) < max(map(len, cells)):
        return False
    table = Table(box=None, pad_edge=False, show_header=False)
    for row in cells:
        table.add_row(*row)
    console.print(Padding(table, (0, 0, 0, indent), expand=False))
    return True
