"""Text on a terminal: prose wrapped at words, tables in columns, code as it was written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING

from cli.word_wrap import rows
from rag.text.line_marks import FENCE, ITEM, RULE, is_row
from rag.text.row_cells import cell_extents

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


def print_wrapped(console: Console, text: Text) -> None:
    """No line is broken in code or within a word (an address), so that each is copied as it was
    written; the further lines of an item stand under its first, the cells of a column under each
    other.
    """
    fence = ""
    drawn = 0
    lines = text.split("\n", allow_blank=True)
    for place, line in enumerate(lines):
        if place < drawn:
            continue
        plain = line.plain
        mark = FENCE.match(plain.lstrip())
        indented = plain.startswith(("    ", "\t")) and not ITEM.match(plain)
        if fence or mark or indented:
            console.print(line, soft_wrap=True)
        elif is_row(plain):
            table = list(takewhile(_in_table, lines[place:]))
            drawn = place + len(table)
            _print_table(console, table)
        else:
            for row in rows(line, console.width):
                console.print(row, soft_wrap=True)
        if mark:
            fence = mark.group(1) if not fence else "" if mark.group(1).startswith(fence) else fence


def _in_table(line: Text) -> bool:
    return is_row(line.plain) or _is_rule(line)


def _is_rule(line: Text) -> bool:
    return "|" in line.plain and RULE.match(line.plain) is not None


def _print_table(console: Console, lines: Sequence[Text]) -> None:
    """In columns as wide as they may be; a line with more cells than the first is of no table."""
    cells = [
        [line[start:end] for start, end in cell_extents(line.plain)]
        for line in lines
        if not _is_rule(line)
    ]
    if len(cells) > 1 and 1 < len(cells[0]) == max(map(len, cells)):
        console.print(_table(cells, headed=_is_rule(lines[1])))
    else:
        for line in lines:
            console.print(line, soft_wrap=True)


def _table(cells: Sequence[Sequence[Text]], *, headed: bool) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, show_header=headed, header_style=""
    )
    for cell in cells[0]:
        table.add_column(cell if headed else "")
    for row in cells[1 if headed else 0 :]:
        table.add_row(*row)
    return table
