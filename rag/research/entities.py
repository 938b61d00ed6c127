"""Names met in quotes: where a multi-hop question goes on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from state.answer import Citation

MOST_NAMES = 12
_NAME = re.compile(
    r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'’.-]*(?:\s+(?:(?:of|the|and|de|von|van|da|di|la|le|&)\s+)*[A-Z0-9][\w'’.-]*)*"
)
_PLAIN = frozenset(
    [
        "The",
        "A",
        "An",
        "In",
        "On",
        "At",
        "He",
        "She",
        "It",
        "They",
        "This",
        "That",
        "I",
        "We",
        "And",
        "But",
        "For",
        "From",
    ]
)


_DATE = re.compile(
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|Jan(?:uary)?|Feb(?:ruary)?|March|April|May|"
    r"June|July|Aug(?:ust)?|Sept(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|Easter|"
    r"Christmas|Spring|Summer|Autumn|Winter|[\d\s.,;:'’-])+"
)
"""A day is nothing that a question is asked about."""


def names_in(citations: Sequence[Citation]) -> list[str]:
    """Titles of the cited documents, then capitalised names of the quotes, each once."""
    found: dict[str, str] = {}
    for citation in citations:
        if citation["title"]:
            _add(found, citation["title"])
    for citation in citations:
        for match in _NAME.finditer(" ".join(citation["quote"].split())):
            _add(found, match.group())
    return list(found.values())[:MOST_NAMES]


def _add(found: dict[str, str], name: str) -> None:
    name = name.strip(" .,;:'’-")
    if len(name) > 2 and name not in _PLAIN and not _DATE.fullmatch(name):
        found.setdefault(name.casefold(), name[:80])
