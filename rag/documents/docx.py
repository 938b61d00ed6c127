"""Word documents (DOCX): body, headings, lists, tables, equations, notes, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rag.documents.archive import Archive
from rag.documents.layout import collapse_whitespace
from rag.documents.stream import Part, Reading
from rag.documents.tree_walk import Element, TreeReader, attribute, name, text_of
from state.errors import DocumentError

_PLAIN = ".//*[local-name()='t'][not(../*/*[local-name()='b'])]/text()"
"""What is not in bold."""
_TITLE_CHARS = 240
_NOTES = {"footnote": "word/footnotes.xml", "endnote": "word/endnotes.xml"}
_WRAPPERS = ("{*}sdt", "{*}sdtContent", "{*}customXml", "{*}smartTag", "{*}ins", "{*}moveTo")
_UNREAD = """{*}del {*}moveFrom {*}instrText {*}delInstrText {*}Fallback {*}sdtPr
    {*}rt""".split()  # noqa: SIM905
_TAGS = {"tbl": "table", "tr": "tr", "tc": "td", "br": "br", "cr": "br"}
_SPACED = {"tab": "\t", "noBreakHyphen": "\u2011", "ptab": "\t"}
_SIGNS = {"num": "", "den": "/", "sup": "^", "sub": "_", "rad": "\N{SQUARE ROOT}", "d": ""}
"""The signs before the parts of an equation, which stand in brackets where they are long."""

_Style = tuple[int | None, bool] | None
"""What a paragraph style means: the level of a heading, and whether it is an item of a list; None:
a line of the table of contents, which is not read.
"""


def read(reading: Reading) -> Iterator[Part]:
    """The body, each note behind the paragraph or table that refers to it first."""
    from lxml import etree

    with Archive(reading) as archive:
        found = archive.optional_root("word/styles.xml")
        styles = {} if found is None else _meanings(found)
        body = archive.root("word/document.xml").find("{*}body")
        if body is None:
            raise DocumentError("damaged docx file: it has no body")
        etree.strip_elements(body, *_UNREAD, with_tail=False)
        etree.strip_tags(body, *_WRAPPERS)
        places: dict[tuple[str, str | None], Element] = {}
        for each in body.iter("{*}footnoteReference", "{*}endnoteReference"):
            key = name(each).removesuffix("Reference"), attribute(each, "id")
            if key not in places:
                places[key] = each.xpath("ancestor-or-self::*[local-name(..) = 'body']")[0]
        _rename(body, styles)
        for kind, member in _NOTES.items():
            root = archive.optional_root(member)
            for note in () if root is None else reversed([*root.iterchildren(f"{{*}}{kind}")]):
                number = attribute(note, "id")
                place = places.get((kind, number))
                _rename(note, styles)
                if place is not None and (text := text_of(note)).strip():
                    paragraph = body.makeelement("p")
                    paragraph.text = f"[{kind} {number}] {text}"
                    place.addnext(paragraph)
        reader = TreeReader()
        reader.read(body)
        reading.title = archive.core_title() or reader.layout.title
        yield reader.layout.part()


def _rename(root: Element, styles: Mapping[str, _Style]) -> None:
    """Gives elements the names and the attributes that HTML has for them, or the text that they
    stand for. The parts of an equation (OMML) come in order: a fraction as (a)/(b), a power as
    a^(b).
    """
    for element in reversed([*root.iter("{*}*")]):  # what is inside first
        kind = name(element)
        element.tag = _TAGS.get(kind, element.tag)
        element.text = element.text if kind == "t" else _SPACED.get(kind)
        element.tail = " " if kind == "oMath" else None
        if kind == "p":
            _rename_paragraph(element, styles)
        elif kind == "tc":
            element.set("colspan", _value(element, "{*}tcPr/{*}gridSpan") or "")
            merged = element.find("{*}tcPr/{*}vMerge")
            if merged is not None and attribute(merged, "val") != "restart":
                element.set("below", "yes")
        elif kind == "r" and _value(element, "{*}rPr/{*}vertAlign") == "superscript":
            element.tag = "sup"
        elif kind in {"footnoteReference", "endnoteReference"}:
            element.text = f"[{kind.removesuffix('Reference')} {attribute(element, 'id')}]"
        elif kind == "nary":  # a sum, a product; without a sign of its own an integral
            element.text = _value(element, "{*}naryPr/{*}chr") or "\N{INTEGRAL}"
        elif kind in _SIGNS:
            inner = "".join(element.itertext())
            element.clear()
            element.text = _SIGNS[kind] + (inner if len(inner) < 2 else f"({inner})")


def _rename_paragraph(paragraph: Element, styles: Mapping[str, _Style]) -> None:
    style = styles.get(_value(paragraph, "{*}pPr/{*}pStyle") or "", (None, False))
    if style is None:
        paragraph.clear()
        return
    styled, listed = style
    level = _level(_value(paragraph, "{*}pPr/{*}outlineLvl"))
    level = styled if level is None else level
    numbering = paragraph.find("{*}pPr/{*}numPr")
    if _value(numbering, "{*}numId") == "0":
        numbering = None
    if level is not None:
        paragraph.tag = f"h{min(level + 1, 6)}"
    elif numbering is not None or listed:
        paragraph.tag = "li"
        paragraph.set("depth", str(_level(_value(numbering, "{*}ilvl")) or 0))
    else:
        paragraph.tag = "h6" if _is_title_by_its_looks(paragraph) else "p"


def _is_title_by_its_looks(paragraph: Element) -> bool:
    """Whether a paragraph is short, in bold and above one that is not."""
    below = (each for each in paragraph.itersiblings() if "".join(each.itertext()).strip())
    return _is_short_and_bold(paragraph) and not _is_short_and_bold(next(below, paragraph))


def _is_short_and_bold(paragraph: Element) -> bool:
    line = collapse_whitespace("".join(paragraph.itertext()))
    is_short = 0 < len(line) <= _TITLE_CHARS and not line.endswith(tuple(".,;:!"))
    return is_short and not any(map(str.isalpha, "".join(paragraph.xpath(_PLAIN))))


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
