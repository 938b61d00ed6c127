"""An evaluation on a terminal: the tables of figures."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from cli.terminal import Terminal, clean
from rag.evaluate.tables import subtitle, tables

_LOOKS = {"": "", "head": "bold"}


def print_report(report: dict[str, Any]) -> None:
    console = Terminal().out_console()
    console.print(clean(subtitle(report)), soft_wrap=True)
    for told in tables(report):
        table = Table(
            title=clean(told.title),
            title_justify="left",
            box=None,
            pad_edge=False,
            collapse_padding=told.numbers > 3,
        )
        for place, name in enumerate(told.head):
            number = 0 < place <= told.numbers
            table.add_column(name, justify="right" if number else "left", no_wrap=number)
        for row in told.rows:
            table.add_row(*row.cells, style=_LOOKS[row.look])
        console.print(table)
