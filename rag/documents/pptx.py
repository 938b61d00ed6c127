"""PowerPoint slides (PPTX): titles, text, tables, charts and notes; a slide is a page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rag.documents.archive import Archive
from rag.documents.layout import Layout
from rag.documents.stream import Part, Reading
from rag.documents.tree_walk import Element, TreeReader, attribute, name, text_of

_PRESENTATION, _SLIDES = "ppt/presentation.xml", "{*}sldIdLst/{*}sldId"
_TITLES = {"title", "ctrTitle"}
_TAGS = {"p": "p", "br": "br", "tbl": "table", "tr": "tr", "tc": "td"}
_DEPTHS = set("0123456789")
_UNSAID = {"sldNum", "dt", "ftr", "hdr", "sldImg"}


def read(reading: Reading) -> Iterator[Part]:
    """One piece a slide, its number as the page."""
    with Archive(reading) as archive:
        reading.title = archive.core_title()
        slides = [member for _, member in archive.related(_PRESENTATION, _SLIDES)]
        for number, slide in enumerate(slides[: reading.limits.pages], 1):
            root = archive.optional_root(slide)
            if root is not None:
                layout = _slide(archive, slide, root)
                reading.title = reading.title or layout.title
                yield layout.part(number, "\n", f"slide {number}")
            elif slide not in archive.NameToInfo:
                reading.warn(f"slide {number} is missing in the file")
        if len(slides) > reading.limits.pages:
            reading.warn(f"only the first {reading.limits.pages} slides were read")


def _slide(archive: Archive, slide: str, root: Element) -> Layout:
    from lxml import etree

    reader, tree = TreeReader(), root.find("{*}cSld/{*}spTree")
    if tree is not None:
        etree.strip_elements(tree, "{*}Fallback", with_tail=False)
        _rename(tree)
        for shape in sorted(tree, key=lambda shape: shape.tag != "h1"):
            reader.read(shape)
    targets = archive.relations(slide).values()
    for wanted, write in _PARTS:
        for member in (member for kind, member in targets if kind == wanted):
            part = archive.optional_root(member)
            if part is not None:
                write(part, reader.layout)
    return reader.layout


def _rename(tree: Element) -> None:
    """Gives elements the names and the attributes that HTML has for them, or their text."""
    for element in [*tree.iter("{*}*")]:
        kind = name(element)
        element.tag = _TAGS.get(kind, element.tag)
        element.text = element.text if kind == "t" else " " if kind == "tab" else None
        element.tail = None
        if kind == "sp":
            _rename_shape(element)
        elif kind == "tc" and element.get("vMerge") == "1":
            element.set("below", "yes")
        elif kind == "pic":
            words = attribute(element.find("{*}nvPicPr/{*}cNvPr"), "descr") or ""
            element.tag = "p"
            element.text = f"[image: {words}]" if " " in words.strip() else None


def _rename_shape(shape: Element) -> None:
    paragraphs = [p for p in shape.iterfind("{*}txBody/{*}p") if "".join(p.itertext()).strip()]
    held = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    placeholder = None if held is None else attribute(held, "type") or ""
    if placeholder in _UNSAID:
        shape.clear()
    elif placeholder in _TITLES:
        shape.tag = "h1"
    elif len(paragraphs) > 1 and placeholder in {"body", "obj", ""}:
        for paragraph in paragraphs:
            if paragraph.find("{*}pPr/{*}buNone") is None:
                level = attribute(paragraph.find("{*}pPr"), "lvl") or ""
                paragraph.tag = "li"
                paragraph.set("depth", level if level in _DEPTHS else "0")


def _chart(root: Element, layout: Layout) -> None:
    layout.paragraph("".join(t.text or "" for t in root.iterfind("{*}chart/{*}title//{*}t")))
    series = list(root.iter("{*}ser"))
    if not series:
        return
    heads = (next(iter(_values(one, "tx")), "") for one in series)
    columns = [_values(one, "val") or _values(one, "yVal") for one in series]
    categories = _values(series[0], "cat") or _values(series[0], "xVal")
    height = max(map(len, columns))
    rows = zip_longest(categories[:height], *columns, fillvalue="")
    layout.table([["", *heads], *rows])


def _values(series: Element, part: str) -> list[str]:
    return [value.text or "" for value in series.iterfind(f"{{*}}{part}//{{*}}v")]


def _notes(root: Element, layout: Layout) -> None:
    _rename(root)
    said = [line for p in root.iter("p", "li") if (line := text_of(p).strip())]
    if said:
        layout.paragraph("Notes: " + "\n".join(said))


def _diagram(root: Element, layout: Layout) -> None:
    """The shapes of a SmartArt, as its data has them."""
    _rename(root)
    for shape in root.iterfind("{*}ptLst/{*}pt/{*}t"):
        layout.item(text_of(shape))


_PARTS = (("chart", _chart), ("diagramData", _diagram), ("notesSlide", _notes))
"""The kinds of a slide's other parts, and what writes them."""
