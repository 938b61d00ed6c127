"""A page's tree without what is no text of it: scripts, what is hidden, signs beside headings, and
menus.
"""

from __future__ import annotations

import re

from rag.documents.markup import Element

SKIPPED = (  # a list of strings would take a line each
    """script style template noscript iframe object embed svg canvas head title meta link
    select datalist button input textarea audio video map dialog""".split()  # noqa: SIM905
)
BLOCKS = """html body div p section article main header footer aside nav address blockquote figure
    figcaption details summary form fieldset legend center ul ol menu dl dt dd li table caption
    thead tbody tfoot tr td th pre hr h1 h2 h3 h4 h5 h6 listing xmp hgroup search""".split()  # noqa: SIM905
_LISTS = ("ul", "ol", "menu", "dl", "table")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LETTER = re.compile(r"[^\W\d_]")
BREAK = "\ufdd0"
"""Stands for a <br>: no character of any text."""
_UNFIT = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What a reference to a number may be, and lxml does not write."""


def text_of(element: Element, breaks: str = " ") -> str:
    """All the text of an element; a <br> is written as `breaks`."""
    return "".join(element.itertext()).replace(BREAK, breaks)


def prepare(root: Element) -> None:
    """Writes breaks and the words of images into the text, and takes out what is not read."""
    hidden = "//*[@hidden or contains(translate(@style, ' DN', 'dn'), 'display:none')]"
    for element in [*root.xpath(hidden), *root.iter(*SKIPPED)]:
        element.clear(keep_tail=True)
    for element in root.iter("br"):
        element.tail = BREAK + _fit(element.tail)
    for element in root.iter("img"):
        # An image's own words; a file name or a lone word says nothing.
        alt = (element.get("alt") or "").strip()
        element.tail = f" {_fit(alt) if ' ' in alt else ''} {_fit(element.tail)}"
    for link in root.iter("a"):
        following = link.getnext()
        if not link.tail and following is not None and following.tag == "a":
            link.tail = " "  # links side by side are parted by style
        # The sign behind a heading that is a link to it (¶, #, §) is no part of its words.
        own = (link.get("href") or "").startswith("#") and len(link) == 0
        if own and not any(map(str.isalnum, link.text or "")):
            link.text = None
    code = {inner for element in root.iter("pre") for inner in element.iter()}
    for element in root.iter(*BLOCKS):
        if element not in code:
            element.tail = " " + _fit(element.tail)
            element.text = " " + _fit(element.text)


def leave_out_menus(root: Element) -> None:
    """Empties what says so of itself, and blocks of several links and no other word: lists of
    places elsewhere on the page, and what stands before the page's main part, aside or at its
    foot, or says the same as such a one.
    """
    main = root.xpath("//main | //*[@role='main']") or root.xpath("//h1") or [root]
    before = set(main[0].xpath("preceding::*"))
    places = {f"#{place}" for place in root.xpath("//@id | //a/@name")}
    speaking = _speaking(root)
    menus: set[tuple[str, ...]] = set()
    left_out: list[Element] = root.xpath("//nav | //*[@role='navigation']")
    for block in root.iter(*_LISTS, "p", "div"):
        hrefs = () if block in speaking else tuple(block.xpath(".//a/@href"))
        if len(hrefs) < 2:
            continue
        if block in before or next(block.iterancestors("footer", "aside"), None) is not None:
            menus.add(hrefs)
        above = block.getprevious()
        introduced = above is not None and text_of(above).rstrip().endswith((":", "\uff1a"))
        elsewhere = places.difference(f"#{place}" for place in block.xpath(".//@id | .//a/@name"))
        contents = block.tag in _LISTS and elsewhere.issuperset(hrefs) and not introduced
        if hrefs in menus or contents:
            left_out.append(block)
    for block in left_out:
        block.clear(keep_tail=True)


def _speaking(root: Element) -> set[Element]:
    """The elements in which there is a heading, or a word outside links."""
    linked = {inner for link in root.iter("a") for inner in link.iter()}
    found: set[Element] = set()
    for element in root.iter():
        says = element not in linked and _LETTER.search(element.text or "")
        speaker = element if says or element.tag in _HEADINGS else None
        if speaker is None and element.getparent() not in linked:
            speaker = element.getparent() if _LETTER.search(element.tail or "") else None
        while speaker is not None and speaker not in found:
            found.add(speaker)
            speaker = speaker.getparent()
    return found


def _fit(text: str | None) -> str:
    return _UNFIT.sub("", text or "")
