"""Where a question of several hops goes on: documents whose name was met on the way.

"The bridge was designed by Anna Berg" answers half of "Where was its engineer born?"; the other
half stands in the document that is called "Anna Berg".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.index.protocol import CollectionReader
from rag.index.terms import term_spans, terms
from state.answer import Citation

MOST_FOLLOWED = 2
_SEARCHED = 20
_OPEN, _CLOSE = "“", "”: "


def leads_from(
    question: str, citations: Sequence[Citation], collection: CollectionReader
) -> list[str]:
    """What to ask of each document that the question or a cited passage names, that is not cited
    itself, and that holds something of what the passages leave open; the one that holds most of
    it first.
    """
    told = {term for c in citations for term in terms(f"{c['title'] or ''} {c['passage']}")}
    spans = [(start, end, set(found) - told) for start, end, found in term_spans(question)]
    left = {term for *_, found in spans for term in found}
    words = " ".join(question[start:end] for start, end, found in spans if found)
    cited = {citation["source"] for citation in citations}
    passages = list(dict.fromkeys(citation["passage"] for citation in citations))
    met = "\n".join([question, *passages])
    held: dict[str, int] = {}
    for query in [question, *passages] if left and passages else ():
        for chunk in collection.search(query, _SEARCHED):
            title = chunk["title"]
            if title and chunk["source"] not in cited and _names(met, title):
                new = len(left & set(terms(f"{title} {chunk['text']}")))
                held[title] = max(new, held.get(title, 0))
    best = sorted(filter(held.get, held), key=lambda title: -held[title])
    return [f"{_OPEN}{title}{_CLOSE}{words}" for title in best[:MOST_FOLLOWED]]


def followed(lead: str) -> str | None:
    """The title of the document that a lead asks of, if it asks of one."""
    title, close, _ = lead.removeprefix(_OPEN).partition(_CLOSE)
    return title if close and lead.startswith(_OPEN) else None


def _names(text: str, title: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(_name(title))}(?!\w)", text) is not None


def _name(title: str) -> str:
    """As it is written elsewhere, without what tells it from its like, as in "Rush (band)"."""
    return title.partition(" (")[0]
