"""Text on a terminal: prose wrapped at words, what must stay as it was written left to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.word_wrap import rows
from rag.text.line_marks import FENCE, ITEM, is_row

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


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
            for row in rows(line, console.width):
                console.print(row, soft_wrap=True)
        if mark:
            fence = mark.group(1) if not fence else "" if mark.group(1).startswith(fence) else fence
