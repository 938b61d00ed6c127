"""What on a page only leads on: menus, the contents of the page itself, its other languages."""

from __future__ import annotations

from typing import NamedTuple

from rag.documents.markup import Element

_LISTS = frozenset({"ul", "ol", "menu", "dl", "table"})
_HOLDERS = _LISTS | {"p", "div"}
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SPOKEN = _HEADINGS | {"p"}
_MOST_BESIDE = 80
"""Characters that may stand beside links to other languages or to the next page."""


class _Links(NamedTuple):
    """A block of several links and no other word: which of the page's links, and which elements."""

    element: Element
    links: slice
    inside: range


def navigation(root: Element) -> set[Element]:
    """The elements to leave out: what says so of itself, and blocks of several links and no other
    word: lists of places elsewhere on the page, and what stands before the page's main part,
    aside or at its foot, or says the same as such a one.
    """
    found = set(root.xpath("//nav | //*[@role='navigation']")) | _related(root)
    main = root.xpath("//main | //*[@role='main']") or root.xpath("//h1") or [root]
    before = set(main[0].xpath("preceding::*"))
    menus: set[tuple[str, ...]] = set()
    hrefs, places, blocks = _link_blocks(root)
    for element, links, inside in blocks:
        if element in before or next(element.iterancestors("footer", "aside"), None) is not None:
            menus.add(tuple(hrefs[links]))
        elsewhere = element.tag in _LISTS and all(
            places.get(href, inside.start) not in inside for href in hrefs[links]
        )
        if tuple(hrefs[links]) in menus or (elsewhere and not _introduced(element)):
            found.add(element)
    return found


def _link_blocks(root: Element) -> tuple[list[str], dict[str, int], list[_Links]]:
    """The page's links; the number of the element at each place that one can lead to; the blocks
    of links.
    """
    from lxml import etree

    hrefs: list[str] = []
    places: dict[str, int] = {}
    blocks: list[_Links] = []
    number = silent = 0
    opened: list[tuple[int, int]] = []
    speaks = [False]
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag, href = element.tag, element.get("href")
        mute = href is not None or tag in {"script", "style"}
        if event == "start":
            opened.append((len(hrefs), number))
            number += 1
            hrefs += [href] if href and tag == "a" else []
            for place in filter(None, (element.get("id"), element.get("name"))):
                places.setdefault(f"#{place}", number - 1)
            silent += mute
            speaks.append(tag in _HEADINGS or (not silent and _has_words(element.text)))
        else:
            silent -= mute
            first, start = opened.pop()
            spoken = speaks.pop()
            if tag in _HOLDERS and not spoken and len(hrefs) - first > 1:
                links = slice(first, len(hrefs))
                blocks.append(_Links(element, links, range(start, number)))
            speaks[-1] |= spoken or (not silent and _has_words(element.tail))
    return hrefs, places, blocks


def _has_words(text: str | None) -> bool:
    return text is not None and any(map(str.isalpha, text))


def _introduced(block: Element) -> bool:
    """Whether a sentence introduces it, or it is one item: what it lists is said there."""
    above = block.getprevious()
    is_introduced = above is not None and above.xpath("string()").rstrip()[-1:] in {":", "\uff1a"}
    return is_introduced or sum(1 for _ in block.iter("li", "dt", "tr")) < 2


def _related(root: Element) -> set[Element]:
    """The short blocks with a link that says it leads to the next page or another language."""
    holders: set[Element] = set()
    for link in root.iter("a"):
        relations = (link.get("rel") or "").split()
        if {"next", "prev"} & {*relations} or ("alternate" in relations and link.get("hreflang")):
            holders.add(next(link.iterancestors(*_HOLDERS), root))
    return {
        holder
        for holder in holders
        if len("".join(holder.xpath(".//text()[not(ancestor::a)]"))) < _MOST_BESIDE
        and not any(each.tag in _SPOKEN for each in holder.iterdescendants())
    }
