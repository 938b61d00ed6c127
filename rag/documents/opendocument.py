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

_DROPPED = frozenset({"tracked-changes", "annotation", "forms", "sequence-decls", "note-citation"})
_MANIFEST = "META-INF/manifest.xml"
_MANY = 200
_REPEATS = 64


def read(reading: Reading) -> Iterator[Part]:
    """The body, some two hundred blocks at a time."""
    with Archive(reading) as archive:
        if _MANIFEST in archive.NameToInfo and b"encryption-data" in archive.member(_MANIFEST):
            raise DocumentError("encrypted OpenDocument: needs a password")
        meta = archive.optional_root("meta.xml")
        reading.title = None if meta is None else real_title(meta.findtext("{*}meta/{*}title"))
        body = archive.root("content.xml").find("{*}body")
        if body is None:
            raise DocumentError("damaged OpenDocument: it has no body")
        walk = _Body(Layout(), reading)
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
    _cells: int = 0

    def block(self, element: Element, listed: int = -1) -> None:
        kind = name(element)
        if not kind or kind in _DROPPED:
            return
        if kind == "h":
            self.layout.heading(inline(element), count(attribute(element, "outline-level"), 6))
        elif kind == "p":
            if listed >= 0:
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

    def _drawn(self, element: Element, listed: int) -> None:
        """A slide, its title, its notes, or what else holds more."""
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
        rows: list[list[str]] = []
        for tr in element.iter("{*}table-row"):
            cells: list[str] = []
            for cell in tr.iterchildren("{*}table-cell", "{*}covered-table-cell"):
                text = " ".join(inline(p) for p in cell.iter("{*}p", "{*}h"))
                times = attribute(cell, "number-columns-repeated") if text else None
                cells += [text] * count(times, _REPEATS)
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
        elif kind and kind not in _DROPPED and kind != "text-box":
            pieces.append(inline(node))
        pieces.append(node.tail or "")
    return "".join(pieces)
