"""The Markdown that every rich format becomes: headings, paragraphs, lists, tables and code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from rag.documents.cleaning import clean
from rag.documents.stream import Part

_SPACES = re.compile(r"[ \t\n\xa0]{2,}|[ \t\n]")
_NUMBER = re.compile(r"\s*[+\u2212-]?\d+\s*")
_RAISED = str.maketrans("0123456789+-\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_CLOSE = {("item", "item"), ("caption", "table"), ("term", "item")}
"""Pairs of blocks on adjacent lines; before all others stands a blank line."""


class Layout:
    """Collects blocks and gives them as Markdown, a row as `a | b | c`. `title`: the first heading
    of the first level; `has_body`: whether any block was not a heading.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._last = ""
        self.title: str | None = None
        self.has_body = False

    def heading(self, text: str, level: int) -> None:
        if line := collapse_whitespace(text):
            self._add("heading", [f"{'#' * min(max(level, 1), 6)} {line}"])
            self.title = self.title or (line if level == 1 else None)

    def paragraph(self, text: str) -> None:
        """A paragraph; line feeds in it stay."""
        lines = [line for line in map(collapse_whitespace, clean(text).split("\n")) if line]
        if lines:
            self._add("paragraph", lines)

    def line(self, shape: Literal["caption", "term"], text: str) -> None:
        """The caption of the table that follows, or the term of the definition on the next line,
        which is an item marked ":".
        """
        if line := collapse_whitespace(text):
            self._add(shape, [line])

    def item(self, text: str, depth: int = 0, marker: str = "-") -> None:
        if line := collapse_whitespace(text):
            self._add("item", [f"{'  ' * min(depth, 10)}{marker} {line}"])

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """The first row is taken for the header of the others."""
        if lines := [line for line in map(row, rows) if line]:
            self._add("table", [line if " | " in line else f"| {line}" for line in lines])

    def preformatted(self, text: str) -> None:
        """Code with its lines as they stand, in a fence that the code itself does not hold."""
        body = clean(text).strip("\n")
        if body.strip():
            fence = "```"
            while fence in body:
                fence += "`"
            self._add("code", [fence, *body.split("\n"), fence])

    def part(self, page: int | None = None, after: str = "", anchor: str | None = None) -> Part:
        """The Markdown of what was collected since the last part; `after` is put behind it."""
        lines, self._lines = self._lines, []
        return Part("".join(line + "\n" for line in lines) + after, page, anchor)

    def _add(self, shape: str, lines: list[str]) -> None:
        if self._last and (self._last, shape) not in _CLOSE:
            self._lines.append("")
        self._lines += lines
        self._last = shape
        self.has_body |= shape != "heading"


def collapse_whitespace(text: str) -> str:
    """The text on one line, a run of white space as one space; a lone no-break space stays."""
    if text.isprintable() and "  " not in text:
        return text.strip()
    return _SPACES.sub(" ", clean(text)).strip()


def superscript(text: str) -> str:
    """Raised text, a number in superscript digits: otherwise 10 to the third would read 103."""
    return text.translate(_RAISED) if _NUMBER.fullmatch(text) else text


def row(cells: Sequence[str]) -> str:
    """A table row on one line; empty when all its cells are."""
    texts = [collapse_whitespace(cell) for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return " | ".join(texts)
