"""XML of any vocabulary: the text of its elements, short values with their element's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5

from rag.documents.encoding import decode
from rag.documents.html import page_part
from rag.documents.layout import words
from rag.documents.markup import DISTRUSTING, Element, name
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_DECLARATION = re.compile(r"<\?xml\s[^>]*\?>")
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*encoding\s*=\s*["']?([\w.:-]+)""")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(\w+);")
_XHTML = re.compile(r"\s*(?:<!DOCTYPE html[^>]*>\s*)?<html\b", re.IGNORECASE)
_SHORT = 200
_SAYING = frozenset({"title", "name", "label", "summary", "description", "caption", "value", "alt"})
_HEADINGS = frozenset({"title", "heading", "head", "headline"})
_PROSE = frozenset({"p", "para", "paragraph", "text", "li", "td", "note", "quote", "line"})
_INLINE = frozenset(
    """a b i u em strong sub sup sub2 sup2 span emph emphasis bold italic underline code link ulink
    xref ref hi literal smallcaps sc br abbr acronym q tt font figref""".split()  # noqa: SIM905
)


def read(reading: Reading) -> Iterator[Part]:
    """A piece a document: several in one file are read in turn.

    Raises:
        DocumentError: nothing of the file is well-formed.
    """
    data = reading.path.read_bytes()
    declared = _DECLARED.search(data[:200])
    text = decode(data, declared.group(1).decode() if declared else None).replace("\0", "")
    for document in filter(str.strip, _DECLARATION.split(text)):
        if _XHTML.match(document):
            reading.title, page = page_part(document, reading)
            yield page
        elif (root := _parsed(document, reading)) is not None:
            yield Part("".join(_lines(root, 1, reading)))


def _parsed(document: str, reading: Reading) -> Element | None:
    """The root, with what stands before the damage where there is any."""
    from lxml import etree

    # HTML's named characters stand in much XML without a DTD that would declare them.
    document = _ENTITY.sub(lambda match: html5.get(f"{match.group(1)};", match.group()), document)
    parser = etree.XMLParser(remove_comments=True, remove_pis=True, recover=True, **DISTRUSTING)
    root = etree.fromstring(document.lstrip().encode("utf-8", "replace"), parser)
    damage = parser.error_log.last_error
    if damage is not None:
        what = f"{damage.message}, line {damage.line}"
        if root is None or not "".join(root.itertext()).strip():
            raise DocumentError(f"damaged XML: {what}")
        reading.warn(f"damaged XML, something is missing: {what}")
    if root is not None:
        etree.strip_tags(root, etree.Entity)
    return root


def _lines(element: Element, depth: int, reading: Reading) -> Iterator[str]:
    """An element as prose, as a named value, or as what is in it."""
    if depth > reading.limits.depth:
        raise DocumentError("nested too deeply")
    kind = name(element)
    attributes = {key: words(value) for key, value in element.attrib.items() if value.strip()}
    yield from (f"{kind}: {value}\n" for key, value in attributes.items() if key in _SAYING)
    if _is_prose(element):
        text = words(_flat(element))
        if kind in _HEADINGS and len(text) <= _SHORT:
            yield f"\n{'#' * min(max(depth - 1, 1), 6)} {text}\n\n"
        elif len(element) or len(text) > _SHORT or kind in _PROSE:
            yield f"{text}\n\n"
        elif text:
            yield f"{kind}: {text}\n"
        else:
            other = [f"{k}={v}" for k, v in attributes.items() if "}" not in k and k != "id"]
            shown = ", ".join(each for each in other if each.partition("=")[0] not in _SAYING)
            yield f"{kind}: {shown}\n" if shown else ""
        return
    for child in element:
        yield from _lines(child, depth + 1, reading)


def _is_prose(element: Element) -> bool:
    """Whether it holds words of its own, or nothing but phrases."""
    beside = [element.text, *(child.tail for child in element)]
    return any(text and text.strip() for text in beside) or all(
        name(child) in _INLINE for child in element
    )


def _flat(element: Element) -> str:
    """All its text; only elements known to stand within words leave no space."""
    pieces = [element.text or ""]
    for child in element:
        gap = "" if name(child) in _INLINE else " "
        pieces += [gap, _flat(child), gap, child.tail or ""]
    return "".join(pieces)
