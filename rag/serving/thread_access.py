"""Whether a turn of a thread may be shown to who may see one collection only.

Threads belong to the home, not to a collection: one thread may have asked several.
"""

from __future__ import annotations

from rag.index.protocol import CollectionReader
from state.answer import Answer, Citation


def is_of_collection(answer: Answer, reader: CollectionReader) -> bool:
    """All it retrieved is in the collection, and all it quotes still stands there. A turn of
    which nothing of that is known drew on who knows what.
    """
    sources = {chunk["source"] for loop in answer["loops"] for chunk in loop["chunks"]}
    cited = [*answer["citations"], *answer["nearest"]]
    if not sources and not cited:
        return False
    if any(reader.document(source) is None for source in sources):
        return False
    texts = {c["source"]: reader.document_text(c["source"]) or "" for c in cited}
    return all(_stands(c, texts[c["source"]]) for c in cited)


def _stands(citation: Citation, text: str) -> bool:
    """A passage may begin with what introduces it from afar, such as a table's header."""
    lines = citation["passage"].split("\n")
    return citation["quote"] in text and all(line in text for line in lines)
