"""The walk over an HTML tree that turns elements into blocks of text, and tables into rows."""

from __future__ import annotations

from collections.abc import Sequence

from rag.documents.layout import Layout
from rag.documents.markup import Element, attribute, count, name

_SKIPPED = frozenset(  # lists of strings would take a line each
    """script style template noscript iframe object embed svg canvas head title meta link
    select datalist button input textarea audio video map dialog""".split()  # noqa: SIM905
)
BLOCKS = frozenset(
    """html body div p section article main header footer aside nav address blockquote figure
    figcaption details summary form fieldset legend center ul ol menu dl dt dd li table caption
    thead tbody tfoot tr td th pre hr h1 h2 h3 h4 h5 h6 listing xmp hgroup search""".split()  # noqa: SIM905
)
_MAX_SPAN = 50
_MOST = 10**8
_LONG_CELL = 600


class PageReader:
    """Walks one page. `too_deep` tells afterwards that something was left out."""

    def __init__(self, layout: Layout, depth: int, left_out: set[Element]) -> None:
        self._layout = layout
        self._depth = depth
        self._left_out = left_out
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
        if element.text:
            self._inline.append(element.text)
        for child in element:
            self._element(child, level + 1)
            if child.tail:
                self._inline.append(child.tail)
            elif name(child) == "a" == name(child.getnext()):
                # Links side by side are parted by style, not by a space.
                self._inline.append(" ")

    def _element(self, element: Element, level: int) -> None:
        tag = name(element).lower()
        if not tag or tag in _SKIPPED or element in self._left_out or _hidden(element):
            return
        if level > self._depth:
            self.too_deep = True
            return
        if tag == "br":
            self._inline.append("\v")
        elif tag == "img":
            # An image's own words; a file name or a lone word says nothing.
            alt = (attribute(element, "alt") or "").strip()
            self._inline.append(f" {alt} " if " " in alt else " ")
        elif tag in BLOCKS:
            self._flush()
            self._structure(element, tag, level)
        else:
            self._children(element, level)

    def _structure(self, element: Element, tag: str, level: int) -> None:
        if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            self._layout.heading(flat(element), int(tag[1]))
        elif tag in {"pre", "listing", "xmp"}:
            self._layout.preformatted(flat(element, breaks="\n"), _language(element))
        elif tag == "table":
            self._table(element, level)
        elif tag in {"ul", "ol", "menu"}:
            self._list(element, level, ordered=tag == "ol")
        elif tag == "dt":
            self._layout.term(flat(element))
        elif tag == "dd":
            self._marker = (":", max(self._list_depth, 0))
            self.block(element, level)
            self._marker = None
        elif tag == "blockquote":
            self._quotations += 1
            self.block(element, level)
            self._quotations -= 1
        else:
            self.block(element, level)

    def _list(self, element: Element, level: int, *, ordered: bool) -> None:
        self._list_depth += 1
        number = count(element.get("start"), _MOST)
        for child in element:
            if name(child).lower() == "li" and not _hidden(child):
                self._marker = (f"{number}." if ordered else "-", self._list_depth)
                number += 1
                self.block(child, level + 1)
                self._marker = None
            else:
                self._element(child, level + 1)
        self._list_depth -= 1

    def _table(self, element: Element, level: int) -> None:
        rows = [tr for tr in element.iter("tr") if next(tr.iterancestors("table")) is element]
        for caption in element.iterchildren("caption"):
            self._layout.caption(flat(caption))
        if is_layout(rows):
            for tr in rows:
                for cell in tr:
                    self.block(cell, level + 2)
        else:
            self._layout.table(spread(rows))

    def _flush(self) -> None:
        text = "".join(self._inline)
        self._inline.clear()
        # Source line feeds are spaces; a <br> is a line end.
        text = text.replace("\n", " ").replace("\r", " ").replace("\v", "\n")
        if not text.strip():
            return
        if self._marker:
            self._layout.item(text, self._marker[1], self._marker[0])
            self._marker = None
        else:
            self._layout.paragraph(text, quoted=self._quotations > 0)


def _hidden(element: Element) -> bool:
    style = (element.get("style") or "").replace(" ", "").lower()
    return element.get("hidden") is not None or "display:none" in style


def _language(element: Element) -> str:
    """The language that a code block names in a class, as highlighters write it."""
    for node in (element, *element.iterchildren("code")):
        for part in (node.get("class") or "").split():
            for prefix in ("language-", "lang-"):
                if part.startswith(prefix):
                    return part.removeprefix(prefix)[:20]
    return ""


def flat(element: Element, *, breaks: str = "") -> str:
    """All the text of an element; a <br> is written as `breaks`, without which block elements are
    parted by a space.
    """
    from lxml import etree

    pieces: list[str] = []
    for event, node in etree.iterwalk(element, events=("start", "end")):
        tag = name(node).lower()
        start = event == "start"
        if tag == "br" and start:
            pieces.append(breaks or " ")
        elif tag in BLOCKS and not breaks:
            pieces.append(" ")
        if tag in {"script", "style"}:
            text = None if start else node.tail
        else:
            text = node.text if start else node.tail
        if text and (start or node is not element):
            pieces.append(text)
    return "".join(pieces)


def is_layout(rows: Sequence[Element]) -> bool:
    """Whether a table only arranges a page: nested tables, headings, prose, or one column."""
    cells = [cell for tr in rows for cell in tr]
    if max((len(tr) for tr in rows), default=0) < 2:
        return True
    return any(
        next(cell.iter("table", "h1", "h2", "h3", "pre"), None) is not None
        or len("".join(cell.itertext())) > _LONG_CELL
        for cell in cells
    )


def spread(rows: Sequence[Element]) -> list[list[str]]:
    """The rows' texts, column under column: a cell over several rows is repeated in each, one
    over several columns leaves the rest of them empty.
    """
    below: dict[int, tuple[int, str]] = {}  # of a column: for how many more rows, what
    result: list[list[str]] = []
    for tr in rows:
        texts: list[str] = []
        cells = iter([cell for cell in tr if name(cell).lower() in {"td", "th"}])
        while (cell := next(cells, None)) is not None or len(texts) in below:
            while len(texts) in below:
                more, text = below.pop(len(texts))
                if more > 1:
                    below[len(texts)] = more - 1, text
                texts.append(text)
            if cell is None:
                continue
            height = count(cell.get("rowspan"), _MAX_SPAN)
            for column in range(count(cell.get("colspan"), _MAX_SPAN) or 1):
                shown = "" if column else flat(cell)
                if height > 1:
                    below[len(texts)] = height - 1, shown
                texts.append(shown)
        result.append(texts)
    return result
