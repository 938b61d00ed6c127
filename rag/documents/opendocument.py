"""OpenDocument text, sheets and slides (ODT, ODS, ODP).

A cell is given as it was shown (50 %, 1.234,50 €); calamine would give the number beneath.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rag.documents.archive import Archive
from rag.documents.cleaning import real_title
from rag.documents.layout import Layout
from rag.documents.markup import Element, attribute, count, name
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_UNREAD = """tracked-changes annotation forms sequence-decls content-validations note-citation
    ruby-text table-of-content""".split()  # noqa: SIM905
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_MANIFEST = "META-INF/manifest.xml"
_TITLE, _BASE = "Title", "parent-style-name"
_MANY = 200
_REPEATS = 64


def read(reading: Reading) -> Iterator[Part]:
    """The body, some two hundred blocks at a time."""
    from lxml import etree

    with Archive(reading) as archive:
        if _MANIFEST in archive.NameToInfo and b"encryption-data" in archive.member(_MANIFEST):
            raise DocumentError("encrypted OpenDocument: needs a password")
        meta = archive.optional_root("meta.xml")
        reading.title = None if meta is None else real_title(meta.findtext("{*}meta/{*}title"))
        content = archive.root("content.xml")
        body = content.find("{*}body")
        if body is None:
            raise DocumentError("damaged OpenDocument: it has no body")
        unread = (f"{{*}}{each}" for each in _UNREAD)
        etree.strip_elements(body, *unread, f"{_SVG}title", with_tail=False)
        based = content.iterfind("{*}automatic-styles/{*}style")
        titles = (attribute(s, "name") for s in based if attribute(s, _BASE) == _TITLE)
        walk = _Body(Layout(), reading, frozenset([_TITLE, *titles]))
        slides = 0
        for number, block in enumerate((block for part in body for block in part), 1):
            kind, within = name(block), name(block.getparent())
            walk.block(block)
            if within == "spreadsheet" and kind == "table":
                yield walk.layout.part(anchor=f"sheet {attribute(block, 'name') or ''}".strip())
            elif within == "presentation" and kind == "page":
                slides += 1
                yield walk.layout.part(anchor=f"slide {slides}")
            elif number % _MANY == 0:
                yield walk.layout.part()
        yield walk.layout.part()


@dataclass(slots=True)
class _Body:
    layout: Layout
    _reading: Reading
    _titles: frozenset[str | None]
    _cells: int = 0

    def block(self, element: Element, listed: int = -1) -> None:
        kind = name(element)
        if kind == "h":
            self._heading(inline(element), count(attribute(element, "outline-level"), 6))
        elif kind == "p":
            if attribute(element, "style-name") in self._titles:
                self._heading(inline(element), 1)
            elif listed >= 0:
                self.layout.item(inline(element), listed)
            else:
                self.layout.paragraph(inline(element))
            for frame in element.iter("{*}text-box"):
                self._all(frame, listed)
        elif kind == "table":
            self._table(element)
        elif kind == "list":
            self._all(element, listed + 1)
        else:
            self._drawn(element, listed)

    def _heading(self, said: str, level: int) -> None:
        self.layout.heading(said, level)
        if self._reading.title is None and level == 1:
            self._reading.title = said

    def _drawn(self, element: Element, listed: int) -> None:
        """Writes a slide, its title, its notes, or any other element that holds blocks."""
        shown = attribute(element, "class")
        if shown in {"title", "notes"}:
            said = "\n".join(map(inline, element.iter("{*}p")))
            if shown == "title":
                self.layout.heading(said, 1)
            else:
                self.layout.paragraph(said and f"Notes: {said}")
            return
        if name(element) == "page":
            frames = element.iter("{*}frame")
            if all(attribute(each, "class") != "title" for each in frames):
                self.layout.heading(attribute(element, "name") or "", 1)
        self._all(element, listed)

    def _all(self, element: Element, listed: int) -> None:
        for inner in element:
            self.block(inner, listed)

    def _table(self, element: Element) -> None:
        rows: list[list[str | None]] = []
        for tr in element.iter("{*}table-row"):
            if next(tr.iterancestors("{*}table")) is not element:
                continue
            cells: list[str | None] = []
            wide = 0  # up to this column the last cell goes
            for cell in tr.iterchildren("{*}table-cell", "{*}covered-table-cell"):
                said = " ".join(inline(p) for p in cell.iter("{*}p", "{*}h"))
                is_below = name(cell) == "covered-table-cell" and len(cells) >= wide
                spanned = attribute(cell, "number-columns-spanned")
                wide = max(wide, len(cells) + count(spanned, _REPEATS))
                times = count(attribute(cell, "number-columns-repeated"), _REPEATS)
                cells += [None if is_below else said] * times
            while cells and cells[-1] == "":
                cells.pop()
            self._cells += len(cells)
            if self._cells > self._reading.limits.cells:
                self._reading.warn(f"only the first {self._reading.limits.cells:,} cells were read")
                break
            # Rows repeated to the sheet's end are empty; repeated full ones say nothing new.
            rows.append(cells)
        if name(element.getparent()) == "spreadsheet":
            self.layout.heading(attribute(element, "name") or "", 1)
        self.layout.table(rows)


def inline(element: Element) -> str:
    """The text of a paragraph: spaces, tabs and breaks written out, notes in brackets."""
    pieces = [element.text or ""]
    for node in element:
        kind = name(node)
        if kind == "s":
            pieces.append(" " * count(attribute(node, "c"), _REPEATS))
        elif kind == "tab":
            pieces.append("\t")
        elif kind == "line-break":
            pieces.append("\n")
        elif kind == "note":
            pieces.append(f" [{inline(node).strip()}] ")
        elif kind == "desc":  # the words of an image
            pieces.append(f" {inline(node)} ")
        elif kind and kind != "text-box":
            pieces.append(inline(node))
        pieces.append(node.tail or "")
    return "".join(pieces)
