"""Sentences of a draft that say only that the sources are silent."""

from __future__ import annotations

import re

_SOURCE = r"(?:context|documents?|sources?|passages?|texts?|excerpts?|information|details?)"
_SILENT = re.compile(
    rf"\b(?:the|this|these|any|no)\s+(?:(?:provided|given|available)\s+)?{_SOURCE}\s+"
    r"(?:(?:provided|given|above)\s+)?"
    r"(?:(?:do|does|did|is|are|has|have)(?:\s+not\b|n['’]t\b)|(?:mention|state|contain|provide|say"
    rf"|give)s?\s+(?:no\b|nothing\b))|^\W*(?:there (?:is|are) )?no (?:\w+ )?{_SOURCE}\b",
    re.IGNORECASE,
)


def says_nothing(text: str) -> bool:
    """Whether it is a question, or says that the sources are silent."""
    return text.rstrip().endswith("?") or _SILENT.search(text) is not None
