"""Structure as readable text: headings, paragraphs, lists and tables of any rich format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from rag.documents.cleaning import clean
from rag.documents.stream import Part
from state.blocks import Block, BlockKind, Extent, Placed

_SPACES = re.compile(r"[ \t\n\xa0]{2,}|[ \t\n]")


@dataclass(slots=True)
class _Set:
    """A block and the lines that it is on."""

    kind: BlockKind
    first: int
    last: int
    level: int = 0
    lead: _Set | None = None
    mark: int = 0  # what stands before it on its first line, in characters
    extent: Extent | None = None


class Layout:
    """Collects blocks and gives them as Markdown-like text, a blank line between blocks.

    A heading is `# `, an item `- `, a table row `a | b | c` on one line.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._set: list[_Set] = []
        self._items: list[tuple[int, _Set]] = []
        self._list_lead: _Set | None = None
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
            self._set[-1].mark = level + 1

    def paragraph(self, text: str, *, note: bool = False) -> None:
        """A paragraph, or one of a quotation; line feeds in it stay."""
        lines = [line for line in (words(line) for line in clean(text).split("\n")) if line]
        if lines:
            kind = BlockKind.NOTE if note else BlockKind.PARAGRAPH
            self._block("paragraph", lines, kind)

    def caption(self, text: str) -> None:
        """What the table that follows shows."""
        self.paragraph(words(text))
        if self._set and self._last == "paragraph":
            self._set[-1].kind = BlockKind.LEAD

    def item(self, text: str, depth: int = 0, marker: str = "-") -> None:
        line = words(text)
        if not line:
            return
        line = f"{'  ' * min(depth, 10)}{marker} {line}"
        if marker == ":" and self._last == "term" and self._set:
            self._lines.append(line)
            self._set[-1].last = len(self._lines) - 1
            self._last = "item"
            return
        if not self._items:
            self._list_lead = self._introduction()
        while self._items and self._items[-1][0] >= depth:
            self._items.pop()
        lead = self._items[-1][1] if self._items else self._list_lead
        self._block("item", [line], BlockKind.ITEM, level=len(self._items) + 1, lead=lead)
        self._items.append((depth, self._set[-1]))

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """The first row is taken for the header of the others."""
        lines = [line for line in (row(cells) for cells in rows) if line]
        if not lines:
            return
        self._block("table", lines, BlockKind.ROW, lead=self._introduction())
        header = self._set[-1]
        first, header.last = header.first, header.first
        self._set += [
            _Set(BlockKind.ROW, line, line, lead=header)
            for line in range(first + 1, first + len(lines))
        ]

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
            self._set[-1].first += 1
            self._set[-1].last -= 1

    def take(self) -> str:
        """The text collected since the last time, ending with a line feed unless empty."""
        return self.part().text

    def part(self, page: int | None = None, after: str = "") -> Part:
        """The same with its blocks; `after` is put behind it."""
        lines, self._lines = self._lines, []
        found, self._set = self._set, []
        self._items.clear()
        self._list_lead = None
        starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        return Part(
            "".join(line + "\n" for line in lines) + after,
            page,
            tuple(_placed(each, lines, starts) for each in found),
        )

    def _introduction(self) -> _Set | None:
        """What was set last, where it introduces a list, code or table that begins now."""
        if not self._set:
            return None
        last = self._set[-1]
        opens = self._lines[last.last].endswith((":", "\uff1a"))
        if opens and last.kind is BlockKind.PARAGRAPH:
            last.kind = BlockKind.LEAD
        inside = last.kind is BlockKind.ITEM and bool(self._items)
        return last if inside or last.kind is BlockKind.LEAD else None

    def _block(
        self,
        shape: str,
        lines: list[str],
        kind: BlockKind,
        *,
        level: int = 0,
        lead: _Set | None = None,
    ) -> None:
        if self._last and not (shape == "item" and self._last in {"item", "term"}):
            self._lines.append("")
        if kind not in (BlockKind.ITEM, BlockKind.CODE):
            self._items.clear()
        first = len(self._lines)
        self._lines += lines
        self._set.append(_Set(kind, first, len(self._lines) - 1, level, lead))
        self._last = shape


def _placed(found: _Set, lines: Sequence[str], starts: Sequence[int]) -> Placed:
    first, last = found.first, found.last
    at = starts[first]
    if found.kind is BlockKind.CODE:
        at = starts[first - 1]
        while not lines[first].strip():
            first += 1
        while not lines[last].strip():
            last -= 1
        start = starts[first]
    else:
        start = starts[first] + found.mark
        start += len(lines[first][found.mark :]) - len(lines[first][found.mark :].lstrip())
    found.extent = start, starts[last] + len(lines[last].rstrip())
    lead = found.lead.extent if found.lead else None
    return Placed(at, Block(found.kind, *found.extent, found.level, lead))


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
