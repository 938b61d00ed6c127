"""Sentences of a draft that speak of the answer and its sources, and say nothing of the matter."""

from __future__ import annotations

import re

from rag.index.terms import terms

_THINGS = frozenset(
    terms("answer question information detail context document source passage text excerpt")
)
_DEEDS = frozenset(
    terms(
        "provided given mentioned stated found contained included described explained available"
        " cited according based relevant following asks"
    )
)
_SOURCE = r"(?:context|documents?|sources?|passages?|texts?|excerpts?|information|details?)"
_SILENT = re.compile(
    rf"\b(?:the|this|these|any|no)\s+(?:(?:provided|given|available)\s+)?{_SOURCE}\s+"
    r"(?:(?:provided|given|above)\s+)?"
    r"(?:(?:do|does|did|is|are|has|have)(?:\s+not\b|n['’]t\b)|(?:mention|state|contain|provide|say"
    r"|give)s?\s+(?:no\b|nothing\b))",
    re.IGNORECASE,
)
_NONE = re.compile(rf"^\W*(?:there (?:is|are) )?no (?:\w+ )?{_SOURCE}\b", re.IGNORECASE)


def says_nothing(text: str, question: str = "") -> bool:
    """Whether it is a question, says that the sources are silent, or names nothing but them, the
    answer and what was asked: "This information is found in the document".
    """
    if text.rstrip().endswith("?") or _SILENT.search(text) or _NONE.match(text):
        return True
    said, asked = set(terms(text)), set(terms(question))
    return bool(said & _THINGS - asked) and said <= _THINGS | _DEEDS | asked
