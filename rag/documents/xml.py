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
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)""")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(\w+);")
_XHTML = re.compile(r"\s*(?:<!DOCTYPE html[^>]*>\s*)?<html\b", re.IGNORECASE)
_FEED = 1 << 16
_SHORT = 200
_SAYING = frozenset({"title", "name", "label", "summary", "description", "caption", "value", "alt"})
_HEADINGS = frozenset({"title", "heading", "head", "headline"})
_PROSE = frozenset({"p", "para", "paragraph", "text", "li", "td", "note", "quote", "line"})
_INLINE_NAMES = (
    "a b i u em strong sub sup sub2 sup2 span emph emphasis bold italic underline code link ulink "
    "xref ref hi literal smallcaps sc br abbr acronym q tt font figref"
)
_INLINE = frozenset(_INLINE_NAMES.split())


def read(reading: Reading) -> Iterator[Part]:
    """Some of the elements at a time. Several documents in one file are read in turn.

    Raises:
        DocumentError: nothing of the file is well-formed.
    """
    if reading.path.stat().st_size > reading.limits.tree_bytes:
        with reading.path.open("rb") as file:
            yield from _document(iter(lambda: file.read(_FEED), b""), reading)
        return
    data = reading.path.read_bytes()
    declared = _DECLARED.search(data[:200])
    text = decode(data, declared.group(1).decode() if declared else None).replace("\0", "")
    documents = [part for part in _DECLARATION.split(text) if part.strip()]
    del data, text
    for document in documents:
        if _XHTML.match(document):
            reading.title, page = page_part(document, reading)
            yield page
        else:
            yield from _document(_blocks(document), reading)


def _blocks(document: str) -> Iterator[bytes]:
    # HTML's named characters stand in much XML without a DTD that would declare them.
    document = _ENTITY.sub(lambda match: html5.get(f"{match.group(1)};", match.group()), document)
    for start in range(0, len(document), _FEED):
        yield document[start : start + _FEED].encode("utf-8", "replace")


def _document(blocks: Iterator[bytes], reading: Reading) -> Iterator[Part]:
    from lxml import etree

    parser = etree.XMLPullParser(
        events=("start", "end"), remove_comments=True, remove_pis=True, **DISTRUSTING
    )
    depth = 0

    def text() -> str:
        """What the events complete; an element is forgotten once it was written."""
        nonlocal depth
        lines: list[str] = []
        for event, element in parser.read_events():
            if event == "start":
                depth += 1
                if depth > reading.limits.depth:
                    raise DocumentError("nested too deeply")
                lines += _opening(element)
            else:
                depth -= 1
                if not _is_within_prose(element):
                    lines += _closing(element, depth)
                    _forget(element)
        return "".join(lines)

    found = False
    try:
        for block in blocks:
            reading.deadline.check()
            parser.feed(block)
            if lines := text():
                found = True
                yield Part(lines)
        parser.close()
    except etree.XMLSyntaxError as error:
        lines = text()
        if not found and not lines:
            raise DocumentError(f"damaged XML: {error}") from error
        yield Part(lines)
        reading.warn(f"damaged XML, what follows is missing: {error}")
        return
    yield Part(text())


def _opening(element: Element) -> list[str]:
    """What an element's attributes say of its content."""
    kind = name(element)
    if kind in _INLINE:
        return []
    said = [value for key, value in element.attrib.items() if key in _SAYING and value.strip()]
    return [f"{kind}: {words(value)}\n" for value in said]


def _closing(element: Element, depth: int) -> list[str]:
    kind = name(element)
    text = words(_flat(element))
    if not text:
        shown = [
            f"{key}={words(value)}"
            for key, value in element.attrib.items()
            if "}" not in key and key not in _SAYING and key != "id" and value.strip()
        ]
        bare = shown and not len(element)
        return [f"{kind}: {', '.join(shown)}\n"] if bare else []
    if kind in _HEADINGS and len(text) <= _SHORT:
        return [f"\n{'#' * min(max(depth, 1), 6)} {text}\n\n"]
    if len(element) or len(text) > _SHORT or kind in _PROSE:
        return [f"{text}\n\n"]
    return [f"{kind}: {text}\n"]


def _is_within_prose(element: Element) -> bool:
    """Whether the element is a phrase in a sentence, to be written with its parent."""
    parent = element.getparent()
    if parent is None:
        return False
    if name(element) in _INLINE:
        return True
    before = element.getprevious()
    if before is not None and before.tail and before.tail.strip():
        return True
    return any(
        above.text and above.text.strip() and above.getparent() is not None
        for above in element.iterancestors()
    )


def _flat(element: Element) -> str:
    """The text not yet written; only elements known to stand within words leave no space."""
    pieces = [element.text or ""]
    for child in element:
        gap = "" if name(child) in _INLINE else " "
        pieces += [gap, _flat(child), gap, child.tail or ""]
    return "".join(pieces)


def _forget(element: Element) -> None:
    element.clear(keep_tail=True)
    parent = element.getparent()
    before = element.getprevious()
    while before is not None and not (before.tail and before.tail.strip()):
        if name(before) in _INLINE and (before.text or len(before)):
            return
        parent.remove(before)
        before = element.getprevious()
