"""The walk over an HTML tree that turns elements into blocks of text, tables into rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rag.documents.layout import Layout, superscript
from rag.documents.markup import Element, count, name, xml_safe
from rag.documents.stream import Reading

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
_MAX_SPAN = 50
_MOST = 10**8


def text_of(element: Element, breaks: str = " ") -> str:
    """All the text of an element; a <br> is written as `breaks`."""
    return "".join(element.itertext()).replace(_BREAK, breaks)


def without_machinery(root: Element) -> None:
    """Writes breaks and the words of images into the text, and takes out what nobody reads:
    scripts, hidden elements, signs beside headings.
    """
    for element in [*root.xpath(_HIDDEN), *root.iter(*_SKIPPED)]:
        element.clear(keep_tail=True)
    for element in root.iter("br"):
        element.tail = _BREAK + xml_safe(element.tail)
    for element in root.iter("img"):
        # An image's own words; a file name or a lone word says nothing.
        alt = (element.get("alt") or "").strip()
        element.tail = f" {xml_safe(alt) if ' ' in alt else ''} {xml_safe(element.tail)}"
    for code in root.xpath("//pre/code[following-sibling::*[1][self::code]]"):
        code.tail = code.tail or "\n"  # the same in another language
    _without_signs(root)
    _write_formulas(root)
    code = {inner for element in root.iter("pre") for inner in element.iter()}
    for element in root.iter(*_BLOCKS):
        if element not in code:
            element.tail = " " + xml_safe(element.tail)
            element.text = " " + xml_safe(element.text)


def _without_signs(root: Element) -> None:
    """Takes out the sign behind a heading that is a link to it (¶, #, §), or a note's way back."""
    for link in root.iter("a"):
        is_sign = len(link) == 0 and not any(map(str.isalnum, link.text or ""))
        if is_sign and "#" in (link.get("href") or ""):
            link.text = None


def _write_formulas(root: Element) -> None:
    """Writes a formula as its TeX, where it has that, and raised numbers, also of notes, as such:
    10 to the third would read 103.
    """
    for formula in root.iter("math"):
        if tex := formula.findtext(".//annotation"):
            formula.clear(keep_tail=True)
            formula.text = xml_safe(tex)
    for raised in root.iter("sup"):
        said = superscript(xml_safe(text_of(raised)))
        raised.clear(keep_tail=True)
        raised.text = said


class PageReader:
    """Walks one page and lays it out, with a warning where it is nested too deeply."""

    def __init__(self, layout: Layout, reading: Reading) -> None:
        self._layout = layout
        self._reading = reading
        self._inline: list[str] = []
        self._marker: tuple[str, int] | None = None
        self._list_depth = -1

    def block(self, element: Element, level: int = 0) -> None:
        self._children(element, level)
        self._flush()

    def _children(self, element: Element, level: int) -> None:
        self._inline.append(element.text or "")
        for child in element:
            self._element(child, level + 1)
            self._inline.append(child.tail or "")

    def _element(self, element: Element, level: int) -> None:
        tag = name(element)
        if level > self._reading.limits.depth:
            self._reading.warn(f"what is nested deeper than {level - 1} levels was left out")
        elif tag in _BLOCKS:
            self._flush()
            self._structure(element, tag, level)
        else:
            self._children(element, level)

    def _structure(self, element: Element, tag: str, level: int) -> None:
        if tag in {*HEADINGS, "summary"}:
            self._layout.heading(text_of(element), int(tag[1]) if tag in HEADINGS else 6)
        elif tag in {"pre", "listing", "xmp"}:
            self._layout.preformatted(text_of(element, "\n"))
        elif tag == "table":
            self._table(element, level)
        elif tag in {"ul", "ol", "menu"}:
            self._list(element, level, ordered=tag == "ol")
        elif tag == "dt":
            self._layout.line("term", text_of(element))
        elif tag == "dd":
            self._item(":", max(self._list_depth, 0), element, level)
        else:
            self.block(element, level)

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
            self._layout.line("caption", text_of(caption))
        if _is_layout(rows):
            for cell in (cell for tr in rows for cell in tr):
                self.block(cell, level + 2)
        else:
            self._layout.table(_cells(rows))

    def _flush(self) -> None:
        text = "".join(self._inline)
        self._inline.clear()
        # Source line feeds are spaces; a <br> is a line end.
        text = text.replace("\n", " ").replace("\r", " ").replace(_BREAK, "\n")
        if not text.strip():
            return
        if self._marker:
            self._layout.item(text, self._marker[1], self._marker[0])
            self._marker = None
        else:
            self._layout.paragraph(text)


def _is_layout(rows: Sequence[Element]) -> bool:
    """Whether a table only arranges a page: one column, or headings, code or tables in it, and no
    row of names above its columns.
    """
    cells = [cell for tr in rows for cell in tr]
    if any(len(tr) > 1 and all(name(cell) == "th" for cell in tr) for tr in rows[:2]):
        return False
    return len(cells) <= len(rows) or any(
        next(cell.iter("table", "h1", "h2", "h3", "pre"), None) is not None for cell in cells
    )


def _cells(rows: Sequence[Element]) -> Iterator[list[str | None]]:
    """The texts of each row, column under column: None where the cell above goes on, and an empty
    one for each further column that a cell goes over.
    """
    below: Counter[int] = Counter()  # of a column: in how many further rows its cell goes on
    for tr in rows:
        texts: list[str | None] = []
        for cell in [*(cell for cell in tr if name(cell) in {"td", "th"}), None]:
            while below[len(texts)]:
                below[len(texts)] -= 1
                texts.append(None)
            if cell is None:
                break
            height = count(cell.get("rowspan"), _MAX_SPAN)
            for column in range(count(cell.get("colspan"), _MAX_SPAN) or 1):
                below[len(texts)] = height - 1
                texts.append("" if column else text_of(cell))
        yield texts
