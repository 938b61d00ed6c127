"""What the elements of a tree say: names, attributes, numbers, text that may be written."""

from __future__ import annotations

import re
from typing import Any

_UNFIT = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that a numeric reference may name and that lxml refuses to write."""

Element = Any
"""An lxml element; lxml's own types say no more than this."""


def name(element: Element | None) -> str:
    """An element's name without its namespace; empty for a comment and for None."""
    tag = None if element is None else element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, wanted: str) -> str | None:
    """The attribute of this local name, whatever its namespace; None of None."""
    attributes = {} if element is None else element.attrib
    return next((v for key, v in attributes.items() if key.rpartition("}")[2] == wanted), None)


def count(value: str | None, most: int) -> int:
    """The number that an attribute holds, at most `most`; 1 where it holds none."""
    return min(int(value), most) if value and value.isdecimal() and len(value) < 9 else 1


def xml_safe(text: str | None) -> str:
    """The text without the characters that no element may hold."""
    return _UNFIT.sub("", text or "")
