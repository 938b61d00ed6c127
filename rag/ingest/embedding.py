"""Texts to vectors: in batches across documents, each text once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text
from rag.ingest.file_text import FileText, ReadOutcome, TextPart

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder, Vectors

BATCH_CHUNKS = 256
_LONG = 4  # parts of a document that are not held together

Lookup = Callable[[Sequence[str]], "Mapping[str, Vectors]"]
"""The vectors of those texts that were embedded before."""


Embedded = tuple[IndexedDocument, Iterable[DocumentPart]]
"""A document that is ready to be written."""


def embed(files: Sequence[FileText], embedder: Embedder, known: Lookup) -> Iterator[list[Embedded]]:
    """What is written in one transaction each. A long document comes alone, its parts embedded as
    they are taken.
    """
    short = [(file.document, list(file.parts())) for file in files if len(file.pickled) < _LONG]
    made = iter(with_vectors(embedder, known, [part for _, parts in short for part in parts]))
    yield [(document, list(islice(made, len(parts)))) for document, parts in short]
    for file in files:
        if len(file.pickled) >= _LONG:
            parts = file.parts()
            yield [(file.document, (with_vectors(embedder, known, [part])[0] for part in parts))]


def batches(outcomes: Iterable[ReadOutcome | None]) -> Iterator[list[ReadOutcome]]:
    """As many at a time as are worth it, and those there are where none came for a while."""
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


def with_vectors(
    embedder: Embedder, known: Lookup, parts: Sequence[TextPart]
) -> list[DocumentPart]:
    """The parts with their vectors: each text is embedded once, or never where it was before."""
    import numpy as np

    texts = [[embedding_text(chunk) for chunk in chunks] for _, chunks in parts]
    wanted = list(dict.fromkeys(text for each in texts for text in each))
    vectors = dict(known(wanted))
    new = [text for text in wanted if text not in vectors]
    vectors.update(zip(new, embedder.embed_documents(new) if new else (), strict=True))
    dimension = embedder.identity.dimension
    return [
        DocumentPart(
            text,
            chunks,
            np.array([vectors[each] for each in own], np.float32).reshape(-1, dimension),
        )
        for (text, chunks), own in zip(parts, texts, strict=True)
    ]
