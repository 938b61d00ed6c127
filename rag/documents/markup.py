"""XML parsed as hostile input: no entities, no DTD, no network, bounded depth and size."""

from __future__ import annotations

from typing import Any

from rag.documents.limits import Limits, check_size
from state.errors import DocumentError

DISTRUSTING = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False
}  # fmt: skip
"""What a parser is told that reads a stranger's XML."""

Element = Any
"""An lxml element; lxml's own types say no more than this."""


def parse(data: bytes, limits: Limits) -> Element:
    """The root of a well-formed XML part of a container.

    Raises:
        DocumentError: it is too large, too deep or not well-formed.
    """
    from lxml import etree

    check_size(len(data), limits.tree_bytes)
    try:
        root = etree.fromstring(data, etree.XMLParser(**DISTRUSTING))
    except etree.XMLSyntaxError as error:
        raise DocumentError(f"damaged file: broken XML ({error.msg})") from error
    # An entity that is not resolved stands between the text before it and the text behind it.
    etree.strip_tags(root, etree.Entity)
    return root


def name(element: Element | None) -> str:
    """An element's name without its namespace; empty for a comment and for None."""
    tag = None if element is None else element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, wanted: str) -> str | None:
    """The attribute of this local name, whatever its namespace; None of None."""
    attributes = {} if element is None else element.attrib
    return next((v for key, v in attributes.items() if key.rpartition("}")[2] == wanted), None)


def count(value: str | None, most: int) -> int:
    """A number as an attribute has it, `most` at the most; 1 where it is none."""
    return min(int(value), most) if value and value.isdecimal() and len(value) < 9 else 1
