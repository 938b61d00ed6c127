"""Texts to vectors: in batches across documents, each text once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rag.index.protocol import DocumentPart, embedding_text
from rag.ingest.file_text import FileText, Outcome, SameContent, TextPart, Unread

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder, Vectors

BATCH_CHUNKS = 256
_LONG = 4  # parts of a document that are not held together

Lookup = Callable[[Sequence[str]], "Mapping[str, Vectors]"]
"""The vectors of those texts that were embedded before."""


class Embedded(NamedTuple):
    """A document that is ready to be written. The parts of a long one are embedded as they are
    taken, which raises what embedding them raises.
    """

    file: FileText
    parts: Iterable[DocumentPart]


_Ready = Embedded | SameContent | Unread


def embedded(
    outcomes: Iterable[Outcome | None],
    embedder: Embedder,
    lookup: Lookup,
    idle: Callable[[], None],
) -> Iterator[_Ready]:
    """The outcomes in their order, ready to be written; `idle` is called when there is nothing for
    a while.

    Raises:
        ModelError: a remote embedder failed.
    """
    for batch in _batches(outcomes):
        if not batch:
            idle()
        texts = [each for each in batch if isinstance(each, FileText)]
        held = [list(each.parts()) if len(each.packed) < _LONG else [] for each in texts]
        ready = iter(with_vectors(embedder, lookup, [part for parts in held for part in parts]))
        counts = iter(map(len, held))
        for each in batch:
            if isinstance(each, FileText):
                parts = list(islice(ready, next(counts)))
                yield Embedded(each, parts or _later(embedder, lookup, each))
            else:
                yield each


def _later(embedder: Embedder, lookup: Lookup, file: FileText) -> Iterator[DocumentPart]:
    return (made for part in file.parts() for made in with_vectors(embedder, lookup, [part]))


def _batches(outcomes: Iterable[Outcome | None]) -> Iterator[list[Outcome]]:
    """As many at a time as are worth it; none where none came for a while."""
    batch: list[Outcome] = []
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
    embedder: Embedder, lookup: Lookup, parts: Sequence[TextPart]
) -> list[DocumentPart]:
    """The parts with their vectors: each text is embedded once, or never where it was before."""
    import numpy as np

    texts = [[embedding_text(chunk) for chunk in chunks] for _, chunks in parts]
    wanted = list(dict.fromkeys(text for each in texts for text in each))
    vectors = dict(lookup(wanted))
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
