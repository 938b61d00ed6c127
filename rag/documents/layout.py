"""Structure as readable text: headings, paragraphs, lists and tables of any rich format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rag.documents.cleaning import clean

_SPACES = re.compile(r"[ \t\n\xa0]{2,}|[ \t\n]")


class Layout:
    """Collects blocks and gives them as Markdown-like text, a blank line between blocks.

    A heading is `# `, an item `- `, a table row `a | b | c` on one line.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._last = ""

    def term(self, text: str) -> None:
        """What the definition on the next line is of."""
        line = words(text)
        if line:
            self._block("term", [line])

    def heading(self, text: str, level: int) -> None:
        line = words(text)
        if line:
            self._block("heading", [f"{'#' * min(max(level, 1), 6)} {line}"])

    def paragraph(self, text: str) -> None:
        """A paragraph; line feeds in it stay."""
        lines = [words(line) for line in clean(text).split("\n")]
        self._block("paragraph", [line for line in lines if line])

    def item(self, text: str, depth: int = 0, marker: str = "-") -> None:
        line = words(text)
        if line:
            self._block("item", [f"{'  ' * min(depth, 10)}{marker} {line}"])

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        lines = (row(cells) for cells in rows)
        self._block("table", [line for line in lines if line])

    def preformatted(self, text: str, language: str = "") -> None:
        """Code, its lines as they stand, in a fence that the code itself does not hold."""
        body = clean(text).strip("\n")
        if body.strip():
            fence = "```"
            while fence in body:
                fence += "`"
            self._block("code", [fence + language, *body.split("\n"), fence])

    def take(self) -> str:
        """The text collected since the last time, ending with a line feed unless empty."""
        text = "".join(line + "\n" for line in self._lines)
        self._lines.clear()
        return text

    def _block(self, kind: str, lines: list[str]) -> None:
        if not lines:
            return
        if self._last and not (kind == "item" and self._last in {"item", "term"}):
            self._lines.append("")
        self._lines += lines
        self._last = kind


def words(text: str) -> str:
    """The text on one line, a run of white space as one space; a lone no-break space stays."""
    if text.isprintable() and "  " not in text:
        return text.strip()
    return _SPACES.sub(" ", clean(text)).strip()


def row(cells: Sequence[str]) -> str:
    """A table row on one line; empty when all its cells are."""
    texts = [words(cell) for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return " | ".join(texts)
