"""OpenDocument text, sheets and slides (ODT, ODS, ODP).

A cell is given as it was shown (50 %, 1.234,50 €); calamine would give the number beneath.
"""

from __future__ import annotations

from collections.abc import Iterator

from rag.documents.archive import Archive
from rag.documents.cleaning import real_title
from rag.documents.stream import Part, Reading
from rag.documents.tree_walk import Element, TreeReader, attribute, count, name, table_rows
from state.errors import DocumentError

_UNREAD = """tracked-changes annotation forms sequence-decls content-validations note-citation
    ruby-text table-of-content covered-table-cell""".split()  # noqa: SIM905
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_MANIFEST = "META-INF/manifest.xml"
_TITLE, _BASE = "Title", "parent-style-name"
_REPEATS = 64
_TAGS = {"p": "p", "list": "ul", "list-item": "li", "line-break": "br", "table": "table"}
_TAGS |= {"table-row": "tr", "table-cell": "td"}


def read(reading: Reading) -> Iterator[Part]:
    """A sheet or a slide at a time, or the whole body."""
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
        titles = {attribute(s, "name") for s in based if attribute(s, _BASE) == _TITLE}
        for element in reversed([*body.iter("{*}*")]):  # what is inside first
            _rename(element, titles | {_TITLE})
        reader, slides = TreeReader(), 0
        layout = reader.layout
        for block in (block for part in body for block in part):
            kind, within = name(block), name(block.getparent())
            called = attribute(block, "name") or ""
            if within == "spreadsheet" and kind == "table":
                layout.heading(called, 1)
                layout.table(table_rows(block))
                yield layout.part(anchor=f"sheet {called}".strip())
                continue
            reader.read(block)
            if within == "presentation" and kind == "page":
                slides += 1
                yield layout.part(anchor=f"slide {slides}")
        if body.find("{*}spreadsheet") is None:
            reading.title = reading.title or layout.title
        yield layout.part()


def _rename(element: Element, titles: set[str | None]) -> None:
    """Gives an element the name and the attributes that HTML has for it, or the text that it stands
    for; notes are put in brackets.
    """
    kind, shown = name(element), attribute(element, "class")
    element.tag = _TAGS.get(kind, element.tag)
    if kind == "h":
        element.tag = f"h{count(attribute(element, 'outline-level'), 6)}"
    elif shown == "title" or (kind == "p" and attribute(element, "style-name") in titles):
        element.tag = "h1"
    elif shown == "notes" and (said := element.findtext(".//p")):
        element.find(".//p").text = f"Notes: {said}"
    elif kind == "page" and element.find(".//h1") is None:
        heading = element.makeelement("h1")
        heading.text = attribute(element, "name")
        element.insert(0, heading)
    elif kind == "table-cell":
        _spread(element)
    elif kind == "s":
        element.text = " " * count(attribute(element, "c"), _REPEATS)
    elif kind == "tab":
        element.text = "\t"
    elif kind in {"note", "desc"}:  # a note, or the words of an image
        said = "".join(element.itertext()).strip()
        element.clear(keep_tail=True)
        element.text = f" [{said}] " if kind == "note" else f" {said} "


def _spread(cell: Element) -> None:
    """Gives a cell its spans; one that is repeated goes over as many columns, with its text in each
    where that is short.
    """
    times = attribute(cell, "number-columns-repeated")
    cell.set("colspan", attribute(cell, "number-columns-spanned") or "")
    if count(times, _REPEATS) > 1:
        cell.set("colspan", str(count(times, _REPEATS)))
        cell.set("repeated", "yes")
    cell.set("rowspan", attribute(cell, "number-rows-spanned") or "")
