"""Texts to vectors, in batches across documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from rag.embed.builtin import builtin_embedder
from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text
from rag.ingest.file_text import FileText, ReadOutcome, TextPart

BATCH_CHUNKS = 256
_LONG = 4  # a document of so many parts is embedded part by part

Embedded = tuple[IndexedDocument, Iterable[DocumentPart]]
"""A document and its parts with their vectors, ready to be written."""


def embed(files: Sequence[FileText]) -> Iterator[list[Embedded]]:
    """Yields the documents of one transaction at a time: the short ones together, each long one
    alone, whose parts are embedded as they are taken.
    """
    short = [(file.document, list(file.parts())) for file in files if len(file.pickled) < _LONG]
    made = iter(with_vectors([part for _, parts in short for part in parts]))
    yield [(document, list(islice(made, len(parts)))) for document, parts in short]
    for file in files:
        if len(file.pickled) >= _LONG:
            parts = file.parts()
            yield [(file.document, (with_vectors([part])[0] for part in parts))]


def batches(outcomes: Iterable[ReadOutcome | None]) -> Iterator[list[ReadOutcome]]:
    """Collects outcomes until a batch is full, or until None says that none came for a while."""
    batch: list[ReadOutcome] = []
    chunks = 0
    for outcome in outcomes:
        if outcome is not None:
            batch.append(outcome)
            if isinstance(outcome, FileText):
                chunks += outcome.chunk_count
            if max(chunks, len(batch)) < BATCH_CHUNKS:
                continue
        yield batch
        batch, chunks = [], 0
    yield batch


def with_vectors(parts: Sequence[TextPart]) -> list[DocumentPart]:
    vectors = builtin_embedder().embed_documents(
        [embedding_text(chunk) for _, chunks in parts for chunk in chunks]
    )
    made, first = list[DocumentPart](), 0
    for text, chunks in parts:
        made.append(DocumentPart(text, chunks, vectors[first : first + len(chunks)]))
        first += len(chunks)
    return made
