"""Text on a terminal: prose wrapped at words, what must stay as it was written left to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.text.line_marks import FENCE, ITEM, is_row

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_WORD = re.compile(r"\S+\s*")


def print_wrapped(console: Console, text: Text) -> None:
    """No line is broken in code, in a table or within a word (an address), so that each is copied
    as it was written; the further lines of an item stand under its first.
    """
    fence = ""
    for line in text.split("\n", allow_blank=True):
        plain = line.plain
        mark = FENCE.match(plain.lstrip())
        indented = plain.startswith(("    ", "\t")) and not ITEM.match(plain)
        if fence or mark or indented or is_row(plain):
            console.print(line, soft_wrap=True)
        else:
            for row in _rows(line, console.width):
                console.print(row, soft_wrap=True)
        if mark:
            fence = mark.group(1) if not fence else "" if mark.group(1).startswith(fence) else fence


def _rows(line: Text, width: int) -> Iterator[Text]:
    from rich.cells import cell_len
    from rich.text import Text

    item = ITEM.match(line.plain)
    used = len(line.plain) - len(line.plain.lstrip())
    hang = item.end() - 1 if item else used
    breaks = []
    for word in _WORD.finditer(line.plain):
        if word.start() > hang and used + cell_len(word.group().rstrip()) > width:
            breaks.append(word.start())
            used = hang
        used += cell_len(word.group())
    for number, row in enumerate(line.divide(breaks)):
        row.rstrip()
        yield Text(" " * hang) + row if number else row
