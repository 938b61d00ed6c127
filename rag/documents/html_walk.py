"""The walk over a prepared HTML tree that turns elements into blocks of text, tables into rows."""

from __future__ import annotations

from collections.abc import Sequence

from rag.documents.html_prune import BLOCKS, BREAK, text_of
from rag.documents.layout import Layout
from rag.documents.markup import Element, count, name

_MAX_SPAN = 50
_MOST = 10**8
_LONG_CELL = 600


class PageReader:
    """Walks one page. `too_deep` tells afterwards that something was left out."""

    def __init__(self, layout: Layout, depth: int) -> None:
        self._layout = layout
        self._depth = depth
        self._inline: list[str] = []
        self._marker: tuple[str, int] | None = None
        self._list_depth = -1
        self._quotations = 0
        self.too_deep = False

    def block(self, element: Element, level: int = 0) -> None:
        """Everything in a block element, as blocks."""
        self._children(element, level)
        self._flush()

    def _children(self, element: Element, level: int) -> None:
        self._inline.append(element.text or "")
        for child in element:
            self._element(child, level + 1)
            self._inline.append(child.tail or "")

    def _element(self, element: Element, level: int) -> None:
        tag = name(element)
        if level > self._depth:
            self.too_deep = True
        elif tag in BLOCKS:
            self._flush()
            self._structure(element, tag, level)
        else:
            self._children(element, level)

    def _structure(self, element: Element, tag: str, level: int) -> None:
        if tag[0] == "h" and tag[1:].isdecimal():
            self._layout.heading(text_of(element), int(tag[1]))
        elif tag in {"pre", "listing", "xmp"}:
            self._layout.preformatted(text_of(element, "\n"))
        elif tag == "table":
            self._table(element, level)
        elif tag in {"ul", "ol", "menu"}:
            self._list(element, level, ordered=tag == "ol")
        elif tag == "dt":
            self._layout.term(text_of(element))
        elif tag == "dd":
            self._item(":", max(self._list_depth, 0), element, level)
        else:
            self._quotations += tag == "blockquote"
            self.block(element, level)
            self._quotations -= tag == "blockquote"

    def _item(self, marker: str, depth: int, element: Element, level: int) -> None:
        self._marker = marker, depth
        self.block(element, level)
        self._marker = None

    def _list(self, element: Element, level: int, *, ordered: bool) -> None:
        self._list_depth += 1
        number = count(element.get("start"), _MOST)
        for child in element:
            if name(child) == "li" and (len(child) or child.text):
                self._item(f"{number}." if ordered else "-", self._list_depth, child, level + 1)
                number += 1
            else:
                self._element(child, level + 1)
        self._list_depth -= 1

    def _table(self, element: Element, level: int) -> None:
        rows = [tr for tr in element.iter("tr") if next(tr.iterancestors("table")) is element]
        for caption in element.iterchildren("caption"):
            self._layout.caption(text_of(caption))
        if _is_layout(rows):
            for cell in (cell for tr in rows for cell in tr):
                self.block(cell, level + 2)
        else:
            self._layout.table(_spread(rows))

    def _flush(self) -> None:
        text = "".join(self._inline)
        self._inline.clear()
        # Source line feeds are spaces; a <br> is a line end.
        text = text.replace("\n", " ").replace("\r", " ").replace(BREAK, "\n")
        if not text.strip():
            return
        if self._marker:
            self._layout.item(text, self._marker[1], self._marker[0])
            self._marker = None
        else:
            self._layout.paragraph(text, quoted=self._quotations > 0)


def _is_layout(rows: Sequence[Element]) -> bool:
    """Whether a table only arranges a page: nested tables, headings, prose, or one column."""
    if max((len(tr) for tr in rows), default=0) < 2:
        return True
    return any(
        next(cell.iter("table", "h1", "h2", "h3", "pre"), None) is not None
        or len(text_of(cell)) > _LONG_CELL
        for tr in rows
        for cell in tr
    )


def _spread(rows: Sequence[Element]) -> list[list[str]]:
    """The rows' texts, column under column: a cell over several rows is repeated in each, one
    over several columns leaves the rest of them empty.
    """
    below: dict[int, list[str]] = {}  # of a column: what its next rows hold
    result: list[list[str]] = []
    for tr in rows:
        texts: list[str] = []
        for cell in [*(cell for cell in tr if name(cell) in {"td", "th"}), None]:
            while below.get(len(texts)):
                texts.append(below[len(texts)].pop())
            if cell is None:
                break
            height = count(cell.get("rowspan"), _MAX_SPAN)
            for column in range(count(cell.get("colspan"), _MAX_SPAN) or 1):
                shown = "" if column else text_of(cell)
                below[len(texts)] = [shown] * (height - 1)
                texts.append(shown)
        result.append(texts)
    return result
