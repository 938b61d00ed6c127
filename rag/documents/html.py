"""HTML: headings, paragraphs, lists, tables and code of a page, without its machinery."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.documents.cleaning import given_title
from rag.documents.encoding import decode
from rag.documents.html_prune import leave_out_menus, prepare, text_of
from rag.documents.html_walk import PageReader
from rag.documents.layout import Layout, words
from rag.documents.limits import check_size
from rag.documents.markup import Element
from rag.documents.stream import Part, Reading
from state.errors import DocumentError

_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_SITE = re.compile(" [-|\N{EN DASH}\N{EM DASH}\N{MIDDLE DOT}] .")
"""Between what a page is called and where it stands."""


def read(reading: Reading) -> Iterator[Part]:
    """The page's text as one piece."""
    reading.title, part = page_part(reading.path.read_bytes(), reading)
    yield part


def page_part(data: bytes | str, reading: Reading, after: str = "") -> tuple[str | None, Part]:
    """Title and text of a page, also of one within something else, such as a mail's body; `after`
    is put behind the text. Its menus are left out unless they hold all there is.
    """
    title = None
    for with_menus in (False, True):
        root = _parse(data, reading)
        if root is None:
            return None, Part("")
        title = _title(root)
        prepare(root)
        if not with_menus:
            leave_out_menus(root)
        layout = Layout()
        walk = PageReader(layout, reading.limits.depth)
        walk.block(root)
        if layout.has_body:
            break
    if walk.too_deep:
        reading.warn(f"what is nested deeper than {reading.limits.depth} levels was left out")
    return title, layout.part(after=after)


def _title(root: Element) -> str | None:
    """As the page gives it, without the site's name behind its own heading."""
    given = given_title(root.findtext(".//title"))
    own = next((words(text_of(heading)) for heading in root.iter("h1")), "")
    return own if own and _SITE.match(words(given or "").removeprefix(own)) else given


def _parse(data: bytes | str, reading: Reading) -> Element | None:
    """The root element, or None where there is nothing."""
    from lxml import etree

    check_size(len(data), reading.limits.tree_bytes)
    if isinstance(data, bytes):
        declared = _CHARSET.search(data[:4096])
        data = decode(data, declared.group(1).decode("ascii", "ignore") if declared else None)
    # libxml2 stops at a NUL; a surrogate cannot be encoded.
    encoded = data.replace("\0", "").encode("utf-8", "replace")
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(encoded, parser) if encoded.strip() else None
    except etree.XMLSyntaxError as error:
        if "Document is empty" in str(error):
            return None
        raise DocumentError(f"damaged HTML: {error}") from error
