"""PowerPoint slides (PPTX): titles, text, tables, charts and notes; a slide is a page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from rag.documents.archive import Archive
from rag.documents.layout import Layout
from rag.documents.markup import Element, attribute, name
from rag.documents.stream import Part, Reading

_PRESENTATION = "ppt/presentation.xml"
_TITLES = {"title", "ctrTitle"}
_SPACED = {"br": "\n", "tab": " "}
_UNSAID = {"sldNum", "dt", "ftr", "hdr", "sldImg"}


def read(reading: Reading) -> Iterator[Part]:
    """One piece a slide, its number as the page."""
    with Archive(reading) as archive:
        reading.title = archive.core_title()
        slides = _slides(archive)
        for number, slide in enumerate(slides[: reading.limits.pages], 1):
            root = archive.optional_root(slide)
            if root is not None:
                yield _slide(archive, slide, root, reading).part(number, "\n", f"slide {number}")
            elif slide not in archive.NameToInfo:
                reading.warn(f"slide {number} is missing in the file")
        if len(slides) > reading.limits.pages:
            reading.warn(f"only the first {reading.limits.pages} slides were read")


def _slides(archive: Archive) -> list[str]:
    targets = archive.relations(_PRESENTATION)
    slides = archive.root(_PRESENTATION).iterfind("{*}sldIdLst/{*}sldId")
    # The attribute r:id; an element has an id of its own beside it.
    keys = (value for slide in slides for key, value in slide.items() if key.endswith("}id"))
    return [targets[key][1] for key in keys if key in targets]


def _slide(archive: Archive, slide: str, root: Element, reading: Reading) -> Layout:
    layout = Layout()
    shapes = root.findall("{*}cSld/{*}spTree/*")
    for shape in sorted(shapes, key=lambda shape: not _is_title(shape)):
        _shape(shape, layout)
    if reading.title is None:
        titles = (_body_text(shape) for shape in shapes if _is_title(shape))
        reading.title = next((title for title in titles if title.strip()), None)
    targets = archive.relations(slide).values()
    for wanted, write in _PARTS:
        for member in (member for kind, member in targets if kind == wanted):
            part = archive.optional_root(member)
            if part is not None:
                write(part, layout)
    return layout


def _shape(shape: Element, layout: Layout) -> None:
    kind = name(shape)
    if _placeholder(shape) in _UNSAID:
        return
    if kind == "sp":
        if _is_title(shape):
            layout.heading(_body_text(shape), 1)
        else:
            _text_body(shape, layout)
    elif kind in {"grpSp", "AlternateContent", "Choice"}:
        for inner in shape:
            _shape(inner, layout)
    elif kind == "graphicFrame":
        for table in shape.iter("{*}tbl"):
            rows = table.iterchildren("{*}tr")
            layout.table(
                [
                    None if cell.get("vMerge") == "1" else " ".join(map(_text, cell.iter("{*}p")))
                    for cell in tr.iterchildren("{*}tc")
                ]
                for tr in rows
            )
    elif kind == "pic":
        words = attribute(shape.find("{*}nvPicPr/{*}cNvPr"), "descr") or ""
        if " " in words.strip():
            layout.paragraph(f"[image: {words}]")


def _text_body(shape: Element, layout: Layout) -> None:
    paragraphs = [p for p in _paragraphs(shape) if _text(p).strip()]
    listed = len(paragraphs) > 1 and _placeholder(shape) in {"body", "obj", ""}
    for paragraph in paragraphs:
        if listed and paragraph.find("{*}pPr/{*}buNone") is None:
            level = attribute(paragraph.find("{*}pPr"), "lvl") or "0"
            depth = int(level) if level.isdecimal() and len(level) == 1 else 0
            layout.item(_text(paragraph), depth)
        else:
            layout.paragraph(_text(paragraph))


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
    shapes = root.iterfind("{*}cSld/{*}spTree//{*}sp")
    text = "\n".join(_body_text(each) for each in shapes if _placeholder(each) not in _UNSAID)
    if text.strip():
        layout.paragraph(f"Notes: {text}")


def _diagram(root: Element, layout: Layout) -> None:
    """The shapes of a SmartArt, as its data has them."""
    for shape in root.iterfind("{*}ptLst/{*}pt/{*}t"):
        layout.item(" ".join(map(_text, shape.iterchildren("{*}p"))))


_PARTS = (("chart", _chart), ("diagramData", _diagram), ("notesSlide", _notes))
"""The kinds of a slide's other parts, and what writes them."""


def _is_title(shape: Element) -> bool:
    return _placeholder(shape) in _TITLES


def _placeholder(shape: Element) -> str | None:
    """The placeholder's kind, "" where it names none, None for a shape that is none."""
    found = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return None if found is None else attribute(found, "type") or ""


def _body_text(shape: Element) -> str:
    return "\n".join(map(_text, _paragraphs(shape)))


def _paragraphs(shape: Element) -> list[Element]:
    return list(shape.iterfind("{*}txBody/{*}p"))


def _text(paragraph: Element) -> str:
    return "".join(
        _SPACED.get(name(node), node.text or "")
        for node in paragraph.iter("{*}t", "{*}br", "{*}tab")
    )
