"""Word documents (DOCX): body, headings, lists, tables, equations, notes, in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rag.documents.archive import Archive, open_archive, parse_optional
from rag.documents.docx_text import inline_text
from rag.documents.layout import Layout
from rag.documents.markup import Element, attribute, child, children, name, parse, text_at
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_BODY = "word/document.xml"
_NOTES = (("word/footnotes.xml", "footnote"), ("word/endnotes.xml", "endnote"))
_MANY = 200
_WRAPPERS = frozenset({"sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo", "body"})


@dataclass(frozen=True, slots=True)
class _Style:
    """What a paragraph style means here: a heading of a level, or an item of a list."""

    level: int | None = None
    listed: bool = False


def read(reading: Reading) -> Iterator[Part]:
    """The body some two hundred blocks at a time, then the notes."""
    with open_archive(reading) as archive:
        reading.title = core_title(archive, reading)
        styles = _styles(archive, reading)
        body = child(parse(archive.read(_BODY), reading.limits), "body")
        if body is None:
            raise DocumentError("damaged docx file: it has no body")
        layout = Layout()
        walk = _Walk(layout, styles, reading)
        for count, block in enumerate(body):
            walk.block(block, 0)
            if count % _MANY == 0:
                reading.deadline.check()
                yield layout.part()
        for member, kind in _NOTES:
            root = parse_optional(archive, member, reading)
            if root is not None:
                _notes(root, kind, layout)
        yield layout.part()


def core_title(archive: Archive, reading: Reading) -> str | None:
    """The title in an Office document's properties."""
    return text_at(parse_optional(archive, "docProps/core.xml", reading), "title")


@dataclass(frozen=True, slots=True)
class _Walk:
    _layout: Layout
    _styles: dict[str, _Style]
    _reading: Reading

    def block(self, element: Element, depth: int) -> None:
        kind = name(element)
        if depth > self._reading.limits.depth:
            raise DocumentError("nested too deeply")
        if kind == "p":
            self._paragraph(element)
        elif kind == "tbl":
            self._table(element, depth)
        elif kind in _WRAPPERS:
            for inner in element:
                self.block(inner, depth + 1)

    def _paragraph(self, element: Element) -> None:
        text = inline_text(element)
        if not text.strip():
            return
        properties = child(element, "pPr")
        style, level, depth = _Style(), None, None
        if properties is not None:
            style = self._styles.get(_value(properties, "pStyle") or "", style)
            level = _level(_value(properties, "outlineLvl"))
            numbering = child(properties, "numPr")
            if numbering is not None and _value(numbering, "numId") != "0":
                depth = _level(_value(numbering, "ilvl")) or 0
        level = style.level if level is None else level
        if level is not None:
            self._layout.heading(text, level + 1)
            if self._reading.title is None and level == 0:
                self._reading.title = text
        elif depth is not None or style.listed:
            self._layout.item(text, depth or 0)
        else:
            self._layout.paragraph(text)

    def _table(self, element: Element, depth: int) -> None:
        rows: list[list[str]] = []
        columns = 0
        for tr in _through(element, "tr"):
            cells: list[str] = []
            for cell in _through(tr, "tc"):
                cells.append(_cell_text(cell))
                cells += [""] * (_grid_span(cell) - 1)
            rows.append(cells)
            columns = max(columns, len(cells))
        if columns > 1:
            self._layout.table(rows)
            return
        # One column is a box around text, not a table.
        for tr in _through(element, "tr"):
            for cell in _through(tr, "tc"):
                for block in cell:
                    self.block(block, depth + 1)


def _cell_text(cell: Element) -> str:
    return " ".join(filter(None, (inline_text(p).strip() for p in cell.iter("{*}p"))))


def _grid_span(cell: Element) -> int:
    properties = child(cell, "tcPr")
    span = _value(properties, "gridSpan") if properties is not None else None
    return min(int(span), 50) if span and span.isdecimal() and len(span) < 4 else 1


def _through(element: Element, wanted: str) -> Iterator[Element]:
    """Children of a name, also inside content controls and tracked insertions."""
    for inner in element:
        kind = name(inner)
        if kind == wanted:
            yield inner
        elif kind in _WRAPPERS:
            yield from _through(inner, wanted)


def _notes(root: Element, kind: str, layout: Layout) -> None:
    for note in children(root, kind):
        if attribute(note, "type") in {None, "normal"}:
            text = _cell_text(note)
            if text:
                layout.paragraph(f"[{kind} {attribute(note, 'id')}] {text}")


def _styles(archive: Archive, reading: Reading) -> dict[str, _Style]:
    root = parse_optional(archive, "word/styles.xml", reading)
    if root is None:
        return {}
    own: dict[str, _Style] = {}
    parents: dict[str, str] = {}
    for style in children(root, "style"):
        key = attribute(style, "styleId") or ""
        label = (_value(style, "name") or "").lower()
        level = 0 if label == "title" else None
        if label.startswith("heading "):
            level = _level(label.removeprefix("heading "), offset=1)
        properties = child(style, "pPr")
        if level is None and properties is not None:
            level = _level(_value(properties, "outlineLvl"))
        own[key] = _Style(level, listed=label.startswith("list ") and label != "list paragraph")
        parents[key] = _value(style, "basedOn") or ""
    return {key: _inherited(key, own, parents) for key in own}


def _inherited(key: str, own: dict[str, _Style], parents: dict[str, str]) -> _Style:
    for _ in range(10):
        style = own.get(key, _Style())
        if style != _Style() or key not in parents:
            return style
        key = parents[key]
    return _Style()


def _value(element: Element, wanted: str) -> str | None:
    found = child(element, wanted)
    return attribute(found, "val") if found is not None else None


def _level(value: str | None, offset: int = 0) -> int | None:
    """An outline level 0 to 8, or None: 9 means body text."""
    if value is None or len(value) != 1 or not value.isdecimal():
        return None
    level = int(value) - offset
    return level if 0 <= level < 9 else None
