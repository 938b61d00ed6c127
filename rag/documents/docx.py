"""Word documents (DOCX): body, headings, lists, tables, equations, notes, in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rag.documents.archive import Archive
from rag.documents.layout import Layout, collapse_whitespace, superscript
from rag.documents.markup import Element, attribute, count, name
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_PLAIN = ".//*[local-name()='t'][not(../*/*[local-name()='b'])]/text()"
"""What is not in bold."""
_TITLE_CHARS = 240
_NOTES = (("word/footnotes.xml", "footnote"), ("word/endnotes.xml", "endnote"))
_MANY = 200
_WRAPPERS = ("{*}sdt", "{*}sdtContent", "{*}customXml", "{*}smartTag", "{*}ins", "{*}moveTo")
_UNREAD = """{*}del {*}moveFrom {*}instrText {*}delInstrText {*}Fallback {*}sdtPr
    {*}rt""".split()  # noqa: SIM905
_SPACED = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011", "ptab": "\t"}
_SIGNS = {"num": "", "den": "/", "sup": "^", "sub": "_", "rad": "\N{SQUARE ROOT}", "d": ""}
"""The signs before the parts of an equation, which stand in brackets where they are long."""

_Style = tuple[int | None, bool] | None
"""What a paragraph style means: the level of a heading, and whether it is an item of a list; None:
a line of the table of contents, which is not read.
"""


def read(reading: Reading) -> Iterator[Part]:
    """The body some two hundred blocks at a time, then the notes."""
    from lxml import etree

    with Archive(reading) as archive:
        reading.title = archive.core_title()
        styles = archive.optional_root("word/styles.xml")
        body = archive.root("word/document.xml").find("{*}body")
        if body is None:
            raise DocumentError("damaged docx file: it has no body")
        etree.strip_elements(body, *_UNREAD, with_tail=False)
        etree.strip_tags(body, *_WRAPPERS)
        layout = Layout()
        meanings = {} if styles is None else _meanings(styles)
        walk = _Body(layout, meanings, reading)
        for number, block in enumerate(body):
            walk.block(block)
            if number % _MANY == 0:
                yield layout.part()
        for member, kind in _NOTES:
            root = archive.optional_root(member)
            for note in () if root is None else root.iterchildren(f"{{*}}{kind}"):
                text = _flat(note)
                if text and attribute(note, "type") in {None, "normal"}:
                    layout.paragraph(f"[{kind} {attribute(note, 'id')}] {text}")
        yield layout.part()


@dataclass(frozen=True, slots=True)
class _Body:
    _layout: Layout
    _styles: dict[str, _Style]
    _reading: Reading

    def block(self, element: Element) -> None:
        kind = name(element)
        if kind == "p":
            self._paragraph(element)
        elif kind == "tbl":
            self._table(element)

    def _paragraph(self, element: Element) -> None:
        text = inline_text(element)
        if not text.strip():
            return
        key = _value(element, "{*}pPr/{*}pStyle") or ""
        style = self._styles.get(key, (None, False))
        if style is None:
            return
        styled, listed = style
        level = _level(_value(element, "{*}pPr/{*}outlineLvl"))
        level = styled if level is None else level
        numbering = element.find("{*}pPr/{*}numPr")
        if _value(numbering, "{*}numId") == "0":
            numbering = None
        if level is not None:
            self._layout.heading(text, level + 1)
            if self._reading.title is None and level == 0:
                self._reading.title = text
        elif numbering is not None or listed:
            self._layout.item(text, _level(_value(numbering, "{*}ilvl")) or 0)
        elif _is_title_by_its_looks(element):
            self._layout.heading(text, 6)
        else:
            self._layout.paragraph(text)

    def _table(self, element: Element) -> None:
        table = [list(tr.iterchildren("{*}tc")) for tr in element.iterchildren("{*}tr")]
        rows = [[text for cell in cells for text in _cell_texts(cell)] for cells in table]
        if any(len(row) > 1 for row in rows):
            self._layout.table(rows)
            return
        # One column is a box around text, not a table.
        for block in (block for cells in table for cell in cells for block in cell):
            self.block(block)


def _is_title_by_its_looks(paragraph: Element) -> bool:
    """Whether a paragraph is short, in bold and above one that is not."""
    below = (each for each in paragraph.itersiblings() if inline_text(each).strip())
    return _is_short_and_bold(paragraph) and not _is_short_and_bold(next(below, paragraph))


def _is_short_and_bold(paragraph: Element) -> bool:
    line = collapse_whitespace(inline_text(paragraph))
    is_short = 0 < len(line) <= _TITLE_CHARS and not line.endswith(tuple(".,;:!"))
    return is_short and not any(map(str.isalpha, "".join(paragraph.xpath(_PLAIN))))


def _cell_texts(cell: Element) -> list[str | None]:
    """The cell's text, or None where the one above goes on, and an empty one for each further
    column that it goes over.
    """
    merged = cell.find("{*}tcPr/{*}vMerge")
    goes_on = merged is not None and attribute(merged, "val") != "restart"
    wide = count(_value(cell, "{*}tcPr/{*}gridSpan"), 50)
    return [None if goes_on else _flat(cell), *[""] * (wide - 1)]


def _flat(element: Element) -> str:
    """Its paragraphs on one line; what is in a box within one comes with it."""
    outer = (p for p in element.iter("{*}p") if next(p.iterancestors("{*}p"), None) is None)
    return " ".join(filter(None, (inline_text(p).strip() for p in outer)))


def _meanings(root: Element) -> dict[str, _Style]:
    styles = {attribute(each, "styleId") or "": each for each in root.iterchildren("{*}style")}
    return {key: _meaning(key, styles) for key in styles}


def _meaning(key: str, styles: dict[str, Element]) -> _Style:
    """What a style means by itself, or else by the style that it is based on."""
    for _ in range(10):
        style = styles.get(key)
        label = (_value(style, "{*}name") or "").lower()
        if label.startswith("toc ") and label[4:].isdecimal():
            return None
        level = 0 if label == "title" else None
        if label.startswith("heading "):
            level = _level(label.removeprefix("heading "), offset=1)
        outline = _value(style, "{*}pPr/{*}outlineLvl")
        level = _level(outline) if level is None else level
        listed = label.startswith("list ") and label != "list paragraph"
        if level is not None or listed or outline == "9":
            return level, listed
        key = _value(style, "{*}basedOn") or ""
    return None, False


def _value(element: Element | None, path: str) -> str | None:
    """The attribute `val` of the first element along a path of names, where there is one."""
    return attribute(None if element is None else element.find(path), "val")


def _level(value: str | None, offset: int = 0) -> int | None:
    """An outline level 0 to 8, or None: 9 means body text."""
    if value is None or len(value) != 1 or not value.isdecimal():
        return None
    level = int(value) - offset
    return level if 0 <= level < 9 else None


def inline_text(element: Element) -> str:
    """The text that a person sees of a paragraph or run. The paragraphs of a text box come where it
    hangs, the parts of an equation (OMML) in order: a fraction as (a)/(b), a power as a^(b).
    """
    pieces: list[str] = []
    for node in element:
        kind = name(node)
        if not kind or kind.endswith("Pr"):
            continue
        if kind == "t":
            pieces.append(node.text or "")
        elif kind in _SPACED:
            pieces.append(_SPACED[kind])
        elif kind in {"footnoteReference", "endnoteReference"}:
            pieces.append(f"[{kind.removesuffix('Reference')} {attribute(node, 'id')}]")
        elif kind == "p":
            pieces.append(f"\n{inline_text(node)}\n")
        else:
            if kind == "nary":  # a sum, a product; without a sign of its own an integral
                pieces.append(_value(node, "{*}naryPr/{*}chr") or "\N{INTEGRAL}")
            inner = inline_text(node)
            single = len(inner) < 2 or kind not in _SIGNS
            pieces.append(_SIGNS.get(kind, "") + (inner if single else f"({inner})"))
            pieces.append(" " * (kind == "oMath"))
    raised = name(element) == "r" and _value(element, "{*}rPr/{*}vertAlign") == "superscript"
    return superscript("".join(pieces)) if raised else "".join(pieces)
