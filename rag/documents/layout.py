"""Structure as readable text: headings, paragraphs, lists and tables of any rich format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rag.documents.cleaning import clean
from rag.documents.line_blocks import LineBlock, add_rows, placed_blocks
from rag.documents.stream import Part
from rag.text.wrapping import lines_of, runs
from state.blocks import BlockKind

_NARROWEST = 60
"""Columns, at the least, of a text whose lines were broken where it was wrapped."""
_SPACES = re.compile(r"[ \t\n\xa0]{2,}|[ \t\n]")


class Layout:
    """Collects blocks and gives them as Markdown-like text, a blank line between blocks.

    A heading is `# `, an item `- `, a table row `a | b | c` on one line.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._found: list[LineBlock] = []
        self._items: list[tuple[int, int]] = []  # depths, and numbers of blocks
        self._list_lead: int | None = None
        self._last = ""

    def term(self, text: str) -> None:
        """What the definition on the next line is of."""
        line = words(text)
        if line:
            self._items.clear()
            self._block("term", [line], BlockKind.ITEM, level=1)

    def heading(self, text: str, level: int) -> None:
        line = words(text)
        level = min(max(level, 1), 6)
        if line:
            self._block("heading", [f"{'#' * level} {line}"], BlockKind.HEADING, level=level)

    def paragraph(self, text: str, *, note: bool = False) -> None:
        """A paragraph, or one of a quotation; line feeds in it stay. Lines that were broken on
        purpose are blocks of their own.
        """
        lines = [line for line in (words(line) for line in clean(text).split("\n")) if line]
        if lines:
            kind = BlockKind.NOTE if note else BlockKind.PARAGRAPH
            self._block("paragraph", lines, kind)
            last = self._found.pop().first - 1
            text = "\n".join(lines)
            for start, end in runs(lines_of(text, 0, len(text)), _NARROWEST):
                first, last = last + 1, last + 1 + text.count("\n", start, end)
                self._found.append(LineBlock(kind, first, last))

    def caption(self, text: str) -> None:
        """What the table that follows shows."""
        self.paragraph(words(text))
        if self._found and self._last == "paragraph":
            self._found[-1].kind = BlockKind.LEAD

    def item(self, text: str, depth: int = 0, marker: str = "-") -> None:
        line = words(text)
        if not line:
            return
        line = f"{'  ' * min(depth, 10)}{marker} {line}"
        if marker == ":" and self._last == "term" and self._found:
            self._lines.append(line)
            self._found[-1].last = len(self._lines) - 1
            self._last = "item"
            return
        if not self._items:
            self._list_lead = self._introduction()
        while self._items and self._items[-1][0] >= depth:
            self._items.pop()
        lead = self._items[-1][1] if self._items else self._list_lead
        self._block("item", [line], BlockKind.ITEM, level=len(self._items) + 1, lead=lead)
        self._items.append((depth, len(self._found) - 1))

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """The first row is taken for the header of the others."""
        lines = [line for line in (row(cells) for cells in rows) if line]
        if not lines:
            return
        lead = self._introduction()
        self._block("table", lines, BlockKind.ROW)
        table = self._found.pop()
        add_rows(self._found, range(table.first, table.last + 1), 0, lead)

    def preformatted(self, text: str, language: str = "") -> None:
        """Code, its lines as they stand, in a fence that the code itself does not hold."""
        body = clean(text).strip("\n")
        if body.strip():
            fence = "```"
            while fence in body:
                fence += "`"
            lines = [fence + clean(language), *body.split("\n"), fence]
            lead = self._introduction()
            self._block("code", lines, BlockKind.CODE, level=len(self._items), lead=lead)
            code = self._found[-1]
            code.above = next(number for number, line in enumerate(lines[1:], 1) if line.strip())
            code.first += code.above
            code.last = code.first + body.strip().count("\n")

    def part(self, page: int | None = None, after: str = "", anchor: str | None = None) -> Part:
        """What was collected since the last time, with its blocks; `after` is put behind it."""
        lines, self._lines = self._lines, []
        found, self._found = self._found, []
        self._items.clear()
        self._list_lead = None
        text = "".join(line + "\n" for line in lines) + after
        return Part(text, page, tuple(placed_blocks(lines, found)), anchor)

    def _introduction(self) -> int | None:
        """The number of what was set last, where it introduces what begins now."""
        if not self._found:
            return None
        last = self._found[-1]
        opens = self._lines[last.last].endswith((":", "\uff1a"))
        if opens and last.kind is BlockKind.PARAGRAPH:
            last.kind = BlockKind.LEAD
        inside = last.kind is BlockKind.ITEM and bool(self._items)
        return len(self._found) - 1 if inside or last.kind is BlockKind.LEAD else None

    def _block(
        self,
        shape: str,
        lines: list[str],
        kind: BlockKind,
        *,
        level: int = 0,
        lead: int | None = None,
    ) -> None:
        if self._last and not (shape == "item" and self._last in {"item", "term"}):
            self._lines.append("")
        if kind not in (BlockKind.ITEM, BlockKind.CODE):
            self._items.clear()
        first = len(self._lines)
        self._lines += lines
        self._found.append(LineBlock(kind, first, len(self._lines) - 1, level, lead))
        self._last = shape


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
