"""XML of any vocabulary: the text of its elements, short values with their element's name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.entities import html5

from rag.documents.encoding import decode
from rag.documents.html import page_part
from rag.documents.stream import Part, Reading
from rag.documents.xml_walk import Walk
from state.errors import DocumentError

_DECLARATION = re.compile(r"<\?xml\b[^>]*\?>")
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)""")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)(\w+);")
_XHTML = re.compile(r"\s*(?:<!DOCTYPE html[^>]*>\s*)?<html\b", re.IGNORECASE)
_FEED = 1 << 16


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
        events=("start", "end"),
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    walk = Walk(reading.limits.depth)
    found = False
    try:
        for block in blocks:
            reading.deadline.check()
            parser.feed(block)
            lines = walk.lines(parser.read_events())
            if lines:
                found = True
                yield Part("".join(lines))
        parser.close()
    except etree.XMLSyntaxError as error:
        lines = walk.lines(parser.read_events())
        if not found and not lines:
            raise DocumentError(f"damaged XML: {error}") from error
        yield Part("".join(lines))
        reading.warn(f"damaged XML, what follows is missing: {error}")
        return
    yield Part("".join(walk.lines(parser.read_events())))
