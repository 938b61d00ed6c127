"""The walk over a tree that turns HTML's elements into blocks of text, tables into rows. Readers of
Office files give theirs HTML's names first; of an element that has no name here the text is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from rag.documents.layout import Layout, superscript

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SKIPPED = (  # a list of strings would take a line each
    """script style template noscript iframe object embed svg canvas head title meta link
    select datalist button input textarea audio video map dialog rt rp""".split()  # noqa: SIM905
)
_BLOCKS = """html body div p section article main header footer aside nav address blockquote figure
    figcaption details summary form fieldset legend center ul ol menu dl dt dd li table caption
    thead tbody tfoot tr td th pre hr h1 h2 h3 h4 h5 h6 listing xmp hgroup search""".split()  # noqa: SIM905
_HIDDEN = (
    "//*[@hidden or contains(translate(@style, 'DN ', 'dn'), 'display:none')]"
    "[not(@role='tabpanel')]"  # one of the others is chosen
    " | //*[@class='katex-html']"  # a formula again, as it is drawn
    " | //*[@class='mw-editsection']"  # beside each heading of a wiki
    " | //*[contains(@class, 'lineno') or contains(@class, 'linenum')]"
    "[translate(., '0123456789 \n\xa0', '') = '']"  # the numbers of the lines of code
)
_BREAK = "\ufdd0"
"""A <br>, as a character that no text holds."""
_LISTS = {"ul", "ol", "menu"}
_MAX_SPAN, _MOST_SPANNED = 64, 2500
"""Columns that a cell may go over, and how many a row may have by that."""
_MOST_REPEATED = 40
"""Characters of a cell's text that may stand in each of its columns: a number, a word or two."""
_MOST = 10**8

Element = Any
"""An lxml element; lxml's own types say no more than this."""


def name(element: Element | None) -> str:
    """An element's name without its namespace; empty for a comment and for None."""
    tag = None if element is None else element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, wanted: str) -> str | None:
    """The attribute of this local name, whatever its namespace; None of None."""
    attributes = {} if element is None else element.attrib
    return next((v for key, v in attributes.items() if key.rpartition("}")[2] == wanted), None)


def count(value: str | None, most: int) -> int:
    """The number that an attribute holds, at most `most`; 1 where it holds none."""
    return min(int(value), most) if value and value.isdecimal() and len(value) < 9 else 1


def without_hidden(root: Element) -> None:
    """Takes out what nobody reads: scripts, hidden elements, numbers of lines."""
    for element in [*root.xpath(_HIDDEN), *root.iter(*_SKIPPED)]:
        element.clear(keep_tail=True)
    for code in root.xpath("//pre/code[following-sibling::*[1][self::code]]"):
        code.tail = code.tail or "\n"  # the same in another language


def _instead(element: Element) -> str | None:
    """What is read in an element's place: a break, an image's own words (a file name or a lone word
    says nothing), a formula's TeX, a raised number; nothing of a sign that is a link to a heading
    (¶, #, §) or a note's way back. None: its text.
    """
    if element.tag == "br":
        return _BREAK
    if element.tag == "img":
        words = (element.get("alt") or "").strip()
        return f" {words if ' ' in words else ''} "
    if element.tag == "math":
        return element.findtext(".//annotation") or None
    if element.tag == "sup":
        return superscript("".join(element.itertext()))
    is_sign = element.tag == "a" and not any(map(str.isalnum, "".join(element.itertext())))
    return "" if is_sign and "#" in (element.get("href") or "") and not len(element) else None


def _begun(walk: Any, element: Element) -> str:
    """What is read where an element begins; a walk goes over what it does not hold."""
    instead = _instead(element)
    if instead is None:
        return element.text or ""
    walk.skip_subtree()
    return instead


def text_of(element: Element, breaks: str = " ") -> str:
    """All the text of an element; a <br> is written as `breaks`."""
    from lxml import etree

    pieces: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        pieces.append(" " if inner.tag in _BLOCKS and breaks == " " else "")
        if event == "start":
            pieces.append(_begun(walk, inner))
        elif inner is not element:
            pieces.append(inner.tail or "")
    return "".join(pieces).replace(_BREAK, breaks)


class TreeReader:
    """Walks one tree, or one branch after the other, and lays it out."""

    def __init__(self) -> None:
        self.layout = Layout()
        self._inline: list[str] = []
        self._marker: tuple[str, int] | None = None
        self._numbers: list[int] = []  # of each list around: of its next item

    def read(self, root: Element) -> None:
        from lxml import etree

        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if element.tag in _BLOCKS:
                self._flush()
            if event == "end":
                self._leave(element.tag)
                self._inline.append(element.tail or "")
            elif self._writes(element):
                walk.skip_subtree()
            else:
                self._enter(element)
                self._inline.append(_begun(walk, element))
        self._flush()

    def _writes(self, element: Element) -> bool:
        """Writes an element that is one block; whether it is."""
        tag = element.tag
        if tag in {*HEADINGS, "summary"}:
            self.layout.heading(text_of(element), int(tag[1]) if tag in HEADINGS else 6)
        elif tag in {"pre", "listing", "xmp"}:
            self.layout.preformatted(text_of(element, "\n"))
        elif tag in {"dt", "caption"}:
            self.layout.line("term" if tag == "dt" else "caption", text_of(element))
        elif tag == "table" and not _is_layout(element):
            for caption in element.iterchildren("caption"):
                self.layout.line("caption", text_of(caption))
            self.layout.table(table_rows(element))
        else:
            return False
        return True

    def _enter(self, element: Element) -> None:
        """Notes a list's numbers, and what marks an item: in a list, or by itself at its depth."""
        tag, above, depth = element.tag, element.getparent(), len(self._numbers) - 1
        if tag in _LISTS:
            self._numbers.append(count(element.get("start"), _MOST))
        elif tag == "dd":
            self._marker = ":", max(depth, 0)
        elif tag == "li" and element.get("depth"):
            self._marker = "-", int(element.get("depth"))
        elif tag == "li" and above is not None and above.tag in _LISTS:
            self._marker = f"{self._numbers[-1]}." if above.tag == "ol" else "-", depth
            self._numbers[-1] += 1

    def _leave(self, tag: str) -> None:
        if tag in _LISTS:
            self._numbers.pop()
        elif tag in {"li", "dd"}:
            self._marker = None

    def _flush(self) -> None:
        text = "".join(self._inline)
        self._inline.clear()
        # Source line feeds are spaces; a <br> is a line end.
        text = text.replace("\n", " ").replace("\r", " ").replace(_BREAK, "\n")
        if not text.strip():
            return
        if self._marker:
            self.layout.item(text, self._marker[1], self._marker[0])
            self._marker = None
        else:
            self.layout.paragraph(text)


def _rows(table: Element) -> list[list[Element]]:
    """The cells of each row of this table, not of one in it."""
    rows = (tr for tr in table.iter("tr") if next(tr.iterancestors("table")) is table)
    return [[cell for cell in tr if cell.tag in {"td", "th"}] for tr in rows]


def _is_layout(table: Element) -> bool:
    """Whether a table only arranges a page: one column, or headings, code or tables in it, and no
    row of names above its columns.
    """
    rows = _rows(table)
    cells = [cell for cells in rows for cell in cells]
    if any(len(cells) > 1 and all(cell.tag == "th" for cell in cells) for cells in rows[:2]):
        return False
    return len(cells) <= len(rows) or any(
        next(cell.iter("table", "h1", "h2", "h3", "pre"), None) is not None for cell in cells
    )


def table_rows(table: Element) -> Iterator[list[str]]:
    """The texts of each row, column under column. A cell that goes on below stands in each of its
    rows; in each further column that it goes over is an empty one, or its short text again where it
    is `repeated`.
    """
    below: Counter[int] = Counter()  # of a column: in how many further rows its cell goes on
    above: dict[int, str] = {}
    for cells in _rows(table):
        texts: list[str] = []
        for cell in [*cells, None]:
            while below[len(texts)]:
                below[len(texts)] -= 1
                texts.append(above.get(len(texts), ""))
            if cell is None:
                break
            height = count(cell.get("rowspan"), _MOST)
            wide = min(count(cell.get("colspan"), _MAX_SPAN), _MOST_SPANNED - len(texts))
            said = above.get(len(texts), "") if cell.get("below") else text_of(cell)
            again = cell.get("repeated") and len(said) <= _MOST_REPEATED
            for column in range(max(wide, 1)):
                below[len(texts)] = height - 1
                texts.append("" if column and not again else said)
        yield texts
        above = dict(enumerate(texts))
