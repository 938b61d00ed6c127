"""PowerPoint slides (PPTX): titles, text, tables, charts and notes; a slide is a page."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from rag.documents.archive import Archive, open_archive, parse_optional
from rag.documents.docx import core_title
from rag.documents.layout import Layout
from rag.documents.markup import Element, attribute, child, children, name, parse
from rag.documents.stream import Part, Reading

_PRESENTATION = "ppt/presentation.xml"
_TITLES = {"title", "ctrTitle"}
_SPACED = {"br": "\n", "tab": " "}
_UNSAID = {"sldNum", "dt", "ftr", "hdr", "sldImg"}


def read(reading: Reading) -> Iterator[Part]:
    """One piece a slide, its number as the page."""
    with open_archive(reading) as archive:
        reading.title = core_title(archive, reading)
        slides = _slides(archive, reading)
        for number, slide in enumerate(slides[: reading.limits.pages], 1):
            reading.deadline.check()
            root = parse_optional(archive, slide, reading)
            if root is not None:
                yield _slide(archive, slide, root, reading).part(number, after="\n")
            elif slide not in archive:
                reading.warn(f"slide {number} is missing in the file")
        if len(slides) > reading.limits.pages:
            reading.warn(f"only the first {reading.limits.pages} slides were read")


def relations(archive: Archive, member: str, reading: Reading) -> dict[str, tuple[str, str]]:
    """Of a part: relation id -> (kind, member name)."""
    folder, file = posixpath.split(member)
    path = f"{folder}/_rels/{file}.rels"
    root = parse_optional(archive, path, reading)
    if root is None:
        return {}
    found: dict[str, tuple[str, str]] = {}
    for relation in children(root, "Relationship"):
        if relation.get("TargetMode") == "External":
            continue
        target = relation.get("Target") or ""
        kind = (relation.get("Type") or "").rpartition("/")[2]
        name_in = target.lstrip("/") if target.startswith("/") else posixpath.join(folder, target)
        found[relation.get("Id") or ""] = (kind, posixpath.normpath(name_in))
    return found


def _slides(archive: Archive, reading: Reading) -> list[str]:
    targets = relations(archive, _PRESENTATION, reading)
    order = child(parse(archive.read(_PRESENTATION), reading.limits), "sldIdLst")
    if order is None:
        return []
    keys = (_relation_id(slide) for slide in children(order, "sldId"))
    return [targets[key][1] for key in keys if key in targets]


def _relation_id(element: Element) -> str:
    """The attribute r:id; an element has an id of its own beside it."""
    for key, value in element.attrib.items():
        if key.endswith("}id"):
            return str(value)
    return ""


def _slide(archive: Archive, slide: str, root: Element, reading: Reading) -> Layout:
    layout = Layout()
    targets = relations(archive, slide, reading)
    tree = child(root, "cSld", "spTree")
    if tree is not None:
        for shape in sorted(tree, key=lambda shape: not _is_title(shape)):
            _shape(shape, layout, 0, reading)
        if reading.title is None:
            titles = (_body_text(shape) for shape in tree if _is_title(shape))
            reading.title = next((title for title in titles if title.strip()), None)
    for kind, member in targets.values():
        root = parse_optional(archive, member, reading) if kind == "chart" else None
        if root is not None:
            _chart(root, layout)
    for kind, member in targets.values():
        root = parse_optional(archive, member, reading) if kind == "notesSlide" else None
        if root is not None:
            notes = child(root, "cSld", "spTree")
            text = "" if notes is None else "\n".join(_notes(notes))
            if text.strip():
                layout.paragraph(f"Notes: {text}")
    return layout


def _shape(shape: Element, layout: Layout, depth: int, reading: Reading) -> None:
    kind = name(shape)
    if depth > reading.limits.depth or _placeholder(shape) in _UNSAID:
        return
    if kind == "sp":
        if _is_title(shape):
            layout.heading(_body_text(shape), 1)
        else:
            _text_body(shape, layout)
    elif kind in {"grpSp", "AlternateContent", "Choice"}:
        for inner in shape:
            _shape(inner, layout, depth + 1, reading)
    elif kind == "graphicFrame":
        for table in shape.iter("{*}tbl"):
            layout.table(
                [_flat(cell) for cell in children(tr, "tc")] for tr in children(table, "tr")
            )
    elif kind == "pic":
        properties = child(shape, "nvPicPr", "cNvPr")
        words = properties.get("descr") or "" if properties is not None else ""
        if " " in words.strip():
            layout.paragraph(f"[image: {words}]")


def _text_body(shape: Element, layout: Layout) -> None:
    body = child(shape, "txBody")
    if body is None:
        return
    listed = _placeholder(shape) in {"body", "obj", ""}
    paragraphs = [p for p in children(body, "p") if _paragraph(p).strip()]
    for paragraph in paragraphs:
        text = _paragraph(paragraph)
        properties = child(paragraph, "pPr")
        level = (properties.get("lvl") or "0") if properties is not None else "0"
        plain = properties is not None and child(properties, "buNone") is not None
        if listed and len(paragraphs) > 1 and not plain:
            layout.item(text, int(level) if level.isdecimal() and len(level) == 1 else 0)
        else:
            layout.paragraph(text)


def _chart(root: Element, layout: Layout) -> None:
    """A chart's title and series as a table."""
    title = child(root, "chart", "title")
    if title is not None:
        layout.paragraph("".join(t.text or "" for t in title.iter("{*}t")))
    series = list(root.iter("{*}ser"))
    if not series:
        return
    heads = [_values(one, "tx") for one in series]
    rows = [["", *(head[0] if head else "" for head in heads)]]
    columns = [_values(one, "val") or _values(one, "yVal") for one in series]
    categories = _values(series[0], "cat") or _values(series[0], "xVal")
    for index in range(max((len(column) for column in columns), default=0)):
        cells = [column[index] if index < len(column) else "" for column in columns]
        rows.append([categories[index] if index < len(categories) else "", *cells])
    layout.table(rows)


def _values(series: Element, part: str) -> list[str]:
    found = child(series, part)
    return [] if found is None else [v.text or "" for v in found.iter("{*}v")]


def _notes(tree: Element) -> Iterator[str]:
    for shape in tree.iter("{*}sp"):
        if _placeholder(shape) not in _UNSAID:
            yield _body_text(shape)


def _is_title(shape: Element) -> bool:
    return _placeholder(shape) in _TITLES


def _placeholder(shape: Element) -> str | None:
    """The placeholder's kind, "" where it names none, None for a shape that is none."""
    found = child(shape, "nvSpPr", "nvPr", "ph")
    return None if found is None else attribute(found, "type") or ""


def _body_text(shape: Element) -> str:
    body = child(shape, "txBody")
    return "" if body is None else "\n".join(_paragraph(p) for p in children(body, "p"))


def _flat(cell: Element) -> str:
    return " ".join(_paragraph(p) for p in cell.iter("{*}p"))


def _paragraph(paragraph: Element) -> str:
    return "".join(
        _SPACED.get(name(node), node.text or "")
        for node in paragraph.iter("{*}t", "{*}br", "{*}tab")
    )
