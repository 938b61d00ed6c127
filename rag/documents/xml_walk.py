"""The walk over XML events that writes each element once, as soon as it is complete."""

from __future__ import annotations

from collections.abc import Iterable

from rag.documents.layout import words
from rag.documents.markup import Element, name
from state.errors import DocumentError

_SHORT = 200
_SAYING = frozenset({"title", "name", "label", "summary", "description", "caption", "value", "alt"})
_HEADINGS = frozenset({"title", "heading", "head", "headline"})
_PROSE = frozenset({"p", "para", "paragraph", "text", "li", "td", "note", "quote", "line"})
_INLINE_NAMES = (
    "a b i u em strong sub sup sub2 sup2 span emph emphasis bold italic underline code link ulink "
    "xref ref hi literal smallcaps sc br abbr acronym q tt font figref"
)
_INLINE = frozenset(_INLINE_NAMES.split())


class Walk:
    """Turns parser events into lines of text; an element is forgotten once it was written."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._depth = 0

    def lines(self, events: Iterable[tuple[str, Element]]) -> list[str]:
        """The lines that these events complete.

        Raises:
            DocumentError: the elements are nested deeper than the limit.
        """
        found: list[str] = []
        for event, element in events:
            if event == "start":
                self._depth += 1
                if self._depth > self._limit:
                    raise DocumentError("nested too deeply")
                found += _opening(element)
            else:
                self._depth -= 1
                if not _is_within_prose(element):
                    found += _closing(element, self._depth)
                    _forget(element)
        return found


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
