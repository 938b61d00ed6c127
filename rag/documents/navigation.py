"""What on a page only leads on: menus, the contents of the page itself, its other languages."""

from __future__ import annotations

from rag.documents.markup import Element

_LISTS = ("ul", "ol", "menu", "dl", "table")
_HOLDERS = (*_LISTS, "p", "div")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_MOST_BESIDE = 80
"""Characters that may stand beside links to other languages or to the next page."""


def navigation(root: Element) -> set[Element]:
    """The elements to leave out: what says so of itself, and blocks of several links and no other
    word: lists of places elsewhere on the page, and what stands before the page's main part,
    aside or at its foot, or says the same as such a one.
    """
    found = set(root.xpath("//nav | //*[@role='navigation']")) | _related(root)
    main = root.xpath("//main | //*[@role='main']") or root.xpath("//h1") or [root]
    before = set(main[0].xpath("preceding::*"))
    places = {f"#{place}" for place in root.xpath("//@id | //a/@name")}
    menus: set[tuple[str, ...]] = set()
    for block in root.iter(*_HOLDERS):
        if _speaks(block):
            continue
        hrefs = tuple(href for link in block.iter("a") if (href := link.get("href")))
        if len(hrefs) < 2:
            continue
        if block in before or next(block.iterancestors("footer", "aside"), None) is not None:
            menus.add(hrefs)
        elsewhere = places.difference(f"#{place}" for place in block.xpath(".//@id | .//a/@name"))
        contents = block.tag in _LISTS and elsewhere.issuperset(hrefs)
        if hrefs in menus or (contents and not _is_introduced(block)):
            found.add(block)
    return found


def _speaks(block: Element) -> bool:
    """Whether there is a heading in it, or a word outside its links."""
    from lxml import etree

    silent = 0
    for event, element in etree.iterwalk(block, events=("start", "end")):
        mute = element.get("href") is not None or element.tag in {"script", "style"}
        silent += mute if event == "start" else 0
        text = element.text if event == "start" else element.tail
        if element.tag in _HEADINGS:
            return True
        silent -= mute if event == "end" else 0
        own = event == "start" or element is not block
        if own and not silent and text and any(map(str.isalpha, text)):
            return True
    return False


def _is_introduced(block: Element) -> bool:
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
        and next(holder.iterdescendants(*_HEADINGS, "p"), None) is None
    }
