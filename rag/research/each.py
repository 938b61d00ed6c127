"""Questions asked of each document of a kind: "What does each set of minutes say about …?"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from rag.index.protocol import CollectionReader
from rag.index.terms import terms
from rag.research.questions import LONGEST, MOST_PARTS, Part

_EACH = re.compile(
    r"\b(?:what|which|how|where|when)\b.*?\b(?:do|does|did|is|are)\s+(?:each|every|all)(?: of)?"
    r"(?: the)? (?P<kind>[\w' -]{3,60}?) "
    r"(?P<asked>(?:say|said|state|tell|mention|recommend|describe|report|give|cover|explain|decide|contain|require)\b.*)",
    re.IGNORECASE,
)
_ANY = frozenset(terms("documents files pages chapters reports notes sources texts records"))
_SEARCHED = 60


def asks_of_each(question: str) -> bool:
    return _EACH.search(question[:LONGEST]) is not None


def each_document(question: str, collection: CollectionReader) -> Iterator[Part]:
    """The question of each document of the kind by itself, those nearest to it first; nothing
    where it does not ask that, or fewer than two are there.
    """
    found = _EACH.search(" ".join(question[:LONGEST].split()))
    if found is None:
        return
    kind = set(terms(found["kind"])) - _ANY
    titles: dict[str, str] = {}
    for chunk in collection.search(f"{found['kind']} {found['asked']}", _SEARCHED):
        name = PurePath(chunk["source"])
        if kind <= {*terms(chunk["title"] or ""), *terms(" ".join([*name.parts[:-1], name.stem]))}:
            titles.setdefault(chunk["source"], chunk["title"] or name.stem)
    if len(titles) < 2:
        return
    asked = found["asked"].rstrip("?.! ")
    topic = asked.partition(" ")[2]
    for title in list(dict.fromkeys(titles.values()))[:MOST_PARTS]:
        yield Part(f"What does “{title}” {asked}?", (title,), topic)
