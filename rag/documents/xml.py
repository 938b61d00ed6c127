"""XML of any vocabulary: paragraphs of what reads as prose, else `name: value` lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5

from rag.documents.encoding import decode
from rag.documents.layout import Layout, words
from rag.documents.markup import DISTRUSTING, Element, name
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_DECLARATION = re.compile(rb"""^\s*<\?xml[^>]*?(?:encoding\s*=\s*["']?([\w.:-]+)[^>]*)?\?>""")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(\w+);")
_HEADINGS = frozenset({"title", "heading", "head", "headline"})
_PROSE = frozenset({"p", "para", "paragraph", "text", "li", "td", "note", "quote", "line"})
_SHORT = 200


def read(reading: Reading) -> Iterator[Part]:
    """The file as one piece.

    Raises:
        DocumentError: nothing of it is well-formed.
    """
    from lxml import etree

    data = reading.path.read_bytes()
    declared = _DECLARATION.match(data[:200])
    text = decode(data, declared[1].decode() if declared and declared[1] else None)
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text.replace("\0", ""))
    # HTML's named characters stand in much XML without a DTD that would declare them.
    text = _ENTITY.sub(lambda match: html5.get(f"{match[1]};", match[0]), text)
    parser = etree.XMLParser(remove_comments=True, remove_pis=True, recover=True, **DISTRUSTING)
    root = etree.fromstring(text.lstrip().encode("utf-8", "replace"), parser)
    damage = parser.error_log.last_error
    if root is None or (damage is not None and not "".join(root.itertext()).strip()):
        raise DocumentError(f"damaged XML: {damage.message if damage else 'it has no root'}")
    if damage is not None:
        reading.warn(f"damaged XML, something is missing: {damage.message}, line {damage.line}")
    etree.strip_tags(root, etree.Entity)
    layout = Layout()
    _write(root, layout, 0)
    yield layout.part()


def _write(element: Element, layout: Layout, level: int) -> None:
    """An element as prose, as a named value, or as what is in it; its attributes as values."""
    kind = name(element)
    given = {key: value for key, value in element.attrib.items() if "}" not in key}
    beside = [element.text, *(child.tail for child in element)]
    is_prose = any(text and text.strip() for text in beside)
    if given and not len(element) and not is_prose:
        values = ", ".join(f"{key}={value}" for key, value in given.items())
        layout.line("field", f"{kind}: {values}")
        return
    for value in (given[key] for key in ("title", "name", "label") if given.get(key)):
        layout.line("field", f"{kind}: {value}")
    if not is_prose:
        for child in element:
            _write(child, layout, level + 1)
        return
    text = words("".join(element.itertext()))
    if kind in _HEADINGS and len(text) <= _SHORT:
        layout.heading(text, level)
    elif len(element) or len(text) > _SHORT or kind in _PROSE:
        layout.paragraph(text)
    else:
        layout.line("field", f"{kind}: {text}")
