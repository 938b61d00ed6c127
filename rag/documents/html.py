"""HTML: headings, paragraphs, lists, tables and code of a page, without its machinery and menus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from math import inf

from rag.documents.cleaning import real_title
from rag.documents.encoding import decoded
from rag.documents.stream import Part, Reading, check_size
from rag.documents.tree_walk import HEADINGS, Element, TreeReader, without_hidden

_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_LENGTH = "string-length(normalize-space())"
_NAVIGATION = (
    "//nav | //*[@role='navigation' or @role='dialog']"
    " | //p[a[@rel='prev' or @rel='next' or @rel='up']]"
    " | //*[@aria-label='breadcrumb' or contains(@class, 'breadcrumb')][not(.//h1 or .//p)]"
    " | /html/body/*[contains(translate(concat(@id, @class), 'C', 'c'), 'cookie')]"
    f"[not(.//h1 or .//main) and {_LENGTH} < $half]"
)
_MAIN = f"(//main | //*[@role='main'])[last() = 1][{_LENGTH} >= $half]"
_MOST_LINKS = 500  # of a block are looked at
_OUTSIDE_LINKS = " | ".join([".//text()[not(ancestor::a)]", *(f".//{h}//text()" for h in HEADINGS)])


def read(reading: Reading) -> Iterator[Part]:
    reading.title, part = page_part(reading.path.read_bytes(), reading)
    yield part


def page_part(data: bytes, reading: Reading, after: str = "") -> tuple[str | None, Part]:
    """The title and the text of a page, or of HTML inside another file, such as the body of a mail;
    `after` is put behind the text. Its menus, and what stands around its main part, are left out
    unless they hold all there is.
    """
    title = None
    for with_menus in (False, True):
        root = _parse(data, reading)
        if root is None:
            return None, Part("")
        title = real_title(root.findtext(".//title"))
        without_hidden(root)
        if not with_menus:
            _leave_out_menus(root)
            root = _main_part(root)
        page = TreeReader()
        page.read(root)
        if page.layout.has_body:
            break
    return title, page.layout.part(after=after)


def _parse(data: bytes, reading: Reading) -> Element | None:
    """The root element, or None where there is nothing."""
    from lxml import etree

    check_size(len(data), reading.limits.tree_bytes)
    found = _CHARSET.search(data[:4096])
    text = decoded(data, found[1].decode("ascii", "ignore") if found else None).text
    # libxml2 stops at a NUL; a surrogate cannot be encoded.
    encoded = text.replace("\0", "").encode("utf-8", "replace")
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(encoded, parser) if encoded.strip() else None
    except etree.XMLSyntaxError:
        return None  # there is no element in it
    if parser.error_log.filter_from_fatals():
        reading.warn("what is nested too deeply, and what is behind it, was left out")
    return root


def _main_part(root: Element) -> Element:
    """What the page calls its main part, if that is one, holds most of it and its title is not
    above it, else all of it: a site's head, foot and banners are no part of the page.
    """
    (main,) = root.xpath(_MAIN, half=_half(root)) or [root]
    if root.xpath("//h1") and not main.xpath(".//h1"):
        return root
    main.tail = None
    return main


def _half(root: Element) -> float:
    """Half of the page's length."""
    half: float = root.xpath("string-length(normalize-space(//body)) div 2")
    return half


def _leave_out_menus(root: Element) -> None:
    """Empties elements that call themselves navigation, banners about cookies, lists of places on
    the page, and blocks of several links without other words that stand before its title, aside or
    at its foot. Half of a page without a title is no banner.
    """
    titles = root.xpath("//h1")
    around = {*(titles or [root])[0].xpath("preceding::*"), *root.xpath("(//footer | //aside)//*")}
    left_out: list[Element] = root.xpath(_NAVIGATION, half=inf if titles else _half(root))
    for block in root.iter("ul", "ol", "menu", "dl", "table", "p", "div", "header"):
        links = islice(block.iter("a"), _MOST_LINKS)
        hrefs = [href for link in links if (href := link.get("href"))]
        is_list = block.tag not in {"p", "div", "header"}
        contents = is_list and all(href.startswith("#") for href in hrefs)
        if (
            len(hrefs) > 1
            and (contents or block in around)
            and not any(map(_LETTER.search, block.xpath(_OUTSIDE_LINKS)))
        ):
            left_out.append(block)
    for block in left_out:
        block.clear(keep_tail=True)
