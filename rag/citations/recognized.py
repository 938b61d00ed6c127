"""Which citations are of pages that were read off a picture, and how sure that was."""

from __future__ import annotations

from collections.abc import Sequence

from rag.index.protocol import CollectionReader, IndexedDocument
from state.answer import Citation
from state.documents import NO_PAGE


def marked_as_recognized(citations: Sequence[Citation], reader: CollectionReader) -> list[Citation]:
    """The citations, each of such a page with the recognizer's confidence in it."""
    documents = {source: reader.document(source) for source in {c["source"] for c in citations}}
    return [_marked(citation, documents[citation["source"]]) for citation in citations]


def _marked(citation: Citation, document: IndexedDocument | None) -> Citation:
    pages = dict(document.recognized) if document is not None else {}
    sure = pages.get(citation["page"] or NO_PAGE)
    return citation if sure is None else {**citation, "recognized": sure / 100}
