"""HTML: headings, paragraphs, lists, tables and code of a page, without its machinery."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.documents.encoding import decode
from rag.documents.html_walk import PageReader, flat
from rag.documents.layout import Layout, words
from rag.documents.limits import Limits, check_size
from rag.documents.markup import Element
from rag.documents.navigation import navigation
from rag.documents.property_title import given_title
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)

_SITE = re.compile(" [-|\N{EN DASH}\N{EM DASH}\N{MIDDLE DOT}] .")
"""Between what a page is called and where it stands."""


def read(reading: Reading) -> Iterator[Part]:
    """The page's text as one piece."""
    data = reading.path.read_bytes()
    reading.title, part = page_part(data, reading)
    yield part


def page_text(data: bytes | str, reading: Reading) -> str:
    """The text of a page within something else, such as a mail's body."""
    return page_part(data, reading)[1].text


def page_part(data: bytes | str, reading: Reading, after: str = "") -> tuple[str | None, Part]:
    """Title and text of a page; `after` is put behind the text. Its
    navigation is left out unless it holds all there is.
    """
    root = parse_html(data, reading.limits)
    if root is None:
        return None, Part("")
    for left_out in (navigation(root), set[Element]()):
        layout = Layout()
        walk = PageReader(layout, reading.limits.depth, left_out)
        walk.block(root)
        if layout.has_body:
            break
    if walk.too_deep:
        reading.warn(f"what is nested deeper than {reading.limits.depth} levels was left out")
    return _title(root), layout.part(after=after)


def _title(root: Element) -> str | None:
    """As the page gives it, without the site's name behind its own heading."""
    given = given_title(root.findtext(".//title"))
    heading = root.find(".//h1")
    own = "" if heading is None else words(flat(heading))
    behind = words(given or "").removeprefix(own)
    return own if own and _SITE.match(behind) else given


def parse_html(data: bytes | str, limits: Limits) -> Element | None:
    """The root element, or None where there is nothing."""
    from lxml import etree

    check_size(len(data), limits.tree_bytes)
    if isinstance(data, bytes):
        declared = _CHARSET.search(data[:4096])
        data = decode(data, declared.group(1).decode("ascii", "ignore") if declared else None)
    # libxml2 stops at a NUL; a surrogate cannot be encoded.
    encoded = data.replace("\0", "").encode("utf-8", "replace")
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(encoded, parser) if encoded.strip() else None
    except etree.XMLSyntaxError as error:
        if "Document is empty" in str(error):
            return None
        raise DocumentError(f"damaged HTML: {error}") from error
    if root is not None:
        _drop_permalinks(root)
    return root


def _drop_permalinks(root: Element) -> None:
    """The sign behind a heading that is a link to it (¶, #, §) is no part of its words."""
    for link in root.iter("a"):
        own = (link.get("href") or "").startswith("#") and len(link) == 0
        if own and not any(map(str.isalnum, link.text or "")):
            link.text = None
