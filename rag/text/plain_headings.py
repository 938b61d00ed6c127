"""Headings of a text without a grammar: marked at the start of their line, or underlined."""

from __future__ import annotations

import re
from typing import NamedTuple

from rag.text.line_marks import ITEM, RULE

_ATX = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(\S.*?)[ \t#]*$")
_ORG = re.compile(r"(\*{1,6}|#{1,6})[ \t]+(\S.*?)[ \t]*$")
_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*")
_TITLE_CHARS = 120


class HeadingLine(NamedTuple):
    """Where the title starts and ends in the line; `underlined`: the next line is part of it."""

    level: int
    first: int
    last: int
    underlined: bool = False


def table_heading(line: str, following: str) -> HeadingLine | None:
    """What stands above a table: a sheet's name, or a single cell over several."""
    marked = _ATX.match(line)
    if marked is not None:
        return HeadingLine(1, marked.start(2), marked.end(2))
    if " | " not in line and " | " in following and len(line.strip()) <= _TITLE_CHARS:
        return HeadingLine(2, len(line) - len(line.lstrip()), len(line.rstrip()))
    return None


class Headings:
    """`_underlines` are the marks of this text that underline, outermost first."""

    def __init__(self, document_format: str) -> None:
        self._format = document_format
        self._underlines: list[str] = []

    def match(self, line: str, following: str, *, after_blank: bool) -> HeadingLine | None:
        """What `line` is the heading of; `following` is the line after it."""
        marked = (_ORG if self._format == "org" else _ATX).match(line)
        if marked is not None:
            return HeadingLine(len(marked.group(1)), marked.start(2), marked.end(2))
        text = line.strip()
        if not after_blank or len(text) > _TITLE_CHARS or line[0] == "\t" or ITEM.match(line):
            return None
        level = self._underlined(text, following)
        if level is None:
            return None
        return HeadingLine(level, line.index(text), len(line.rstrip()), underlined=True)

    def _underlined(self, text: str, following: str) -> int | None:
        underline = _UNDERLINE.fullmatch(following)
        if underline is None or RULE.match(text) or len(following.rstrip()) < len(text) // 2:
            return None
        mark = underline.group(1)
        if self._format not in ("rst", "text"):
            return {"=": 1, "-": 2}.get(mark)
        if len(following.rstrip()) < len(text):
            return None
        if mark not in self._underlines:
            self._underlines.append(mark)
        return min(self._underlines.index(mark) + 1, 6)
