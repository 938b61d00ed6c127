"""A line for a terminal, parted before the words that do not fit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.text.line_marks import ITEM

if TYPE_CHECKING:
    from rich.text import Text

LEAST_HANG = 4
_WORD = re.compile(r"\S+\s*")


def rows(line: Text, width: int, hang: int | None = None) -> Iterator[Text]:
    """A line parted before the words that do not fit. The further rows begin `hang` columns from
    the left, where that leaves room; of its own an item hangs behind its sign.
    """
    from rich.cells import cell_len
    from rich.text import Text

    used = len(line.plain) - len(line.plain.lstrip())
    if hang is None:
        item = ITEM.match(line.plain)
        hang = item.end() - 1 if item else used
    indent = hang if 2 * hang <= width else LEAST_HANG
    breaks = []
    for word in _WORD.finditer(line.plain):
        if word.start() > hang and used + cell_len(word.group().rstrip()) > width:
            breaks.append(word.start())
            used = indent
        used += cell_len(word.group())
    for number, row in enumerate(line.divide(breaks)):
        row.rstrip()
        yield Text(" " * indent) + row if number else row


def plain_rows(line: str, width: int, hang: int | None = None) -> list[str]:
    """As `rows`, of a line without styles."""
    if len(line) <= width and line.isascii():
        return [line]
    from rich.text import Text

    return [row.plain for row in rows(Text(line), width, hang)]
