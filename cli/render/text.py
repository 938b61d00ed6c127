"""Text on a terminal: prose wrapped at words, code and tables as they were written; places, costs
and foreign text on one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cli.terminal import rows
from rag.text.prose import one_line
from state.wording import shorten, written_place

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_ANCHOR = 60
_FENCES = ("```", "~~~")


def place(item: Mapping[str, Any]) -> str:
    """A citation's or chunk's place on one line, whatever its source and headings are called."""
    anchor = item.get("anchor")
    named = None if anchor is None else shorten(one_line(anchor), _ANCHOR)
    return written_place({**item, "source": one_line(item["source"]), "anchor": named})


def format_cost(cost: float) -> str:
    """A cost such as "$0.0123" or "$0.000039": four decimals, or two significant digits."""
    if cost >= 0.001 or cost <= 0:
        return f"${cost:.4f}"
    return f"${float(f'{cost:.2g}'):.12f}".rstrip("0")


def print_wrapped(console: Console, text: Text, indent: str = "") -> None:
    """Print text with lines broken between words only, and not in code or table rows, so that all
    can be copied as it was written. Each line begins after `indent`.
    """
    from rich.text import Text

    fenced = False
    for line in text.split("\n", allow_blank=True):
        plain = line.plain.strip()
        mark = plain.startswith(_FENCES)
        kept = fenced or mark or line.plain.startswith(("    ", "\t", "|")) or " | " in plain
        fenced ^= mark
        inset = Text(indent).append_text(line) if line.plain else line
        for row in [inset] if kept else rows(inset, console):
            console.print(row, soft_wrap=True)
