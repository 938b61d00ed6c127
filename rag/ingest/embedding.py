"""Texts to vectors on a thread of its own: in batches across documents, each text once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rag.index.protocol import DocumentPart, embedding_text
from rag.ingest.file_text import FileText, Outcome, SameContent, TextPart, Unread
from state.closing import Closing

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder, Vectors

BATCH_CHUNKS = 256
_LONG = 4  # parts of a document that are not held together
_BATCHES_AHEAD = 4

Lookup = Callable[[Sequence[str]], "Mapping[str, Vectors]"]
"""The vectors of those texts that were embedded before; called on the embedding thread."""


class Embedded(NamedTuple):
    """A document that is ready to be written. The parts of a long one are embedded as they are
    taken, which raises what embedding them raises.
    """

    file: FileText
    parts: Iterable[DocumentPart]


_Ready = Embedded | SameContent | Unread


class EmbeddingThread(Closing):
    """Takes outcomes, gives them back in the same order with every text embedded."""

    def __init__(self, embedder: Embedder, lookup: Lookup) -> None:
        self._embed = partial(_embedded, embedder, lookup)
        self._thread = ThreadPoolExecutor(1, "embedding")

    def close(self) -> None:
        self._thread.shutdown(cancel_futures=True)

    def results(
        self, outcomes: Iterable[Outcome | None], idle: Callable[[], None]
    ) -> Iterator[_Ready]:
        """What is ready to be written; `idle` is called when there is nothing for a while.

        Raises:
            ModelError: a remote embedder failed.
        """
        futures: deque[Future[list[_Ready]]] = deque()
        for batch in _batches(outcomes):
            futures.append(self._thread.submit(self._embedded, batch))
            while futures and (futures[0].done() or len(futures) > _BATCHES_AHEAD):
                ready = futures.popleft().result()
                if not ready:
                    idle()
                yield from ready
        for future in futures:
            yield from future.result()

    def _embedded(self, outcomes: Sequence[Outcome]) -> list[_Ready]:
        texts = [each for each in outcomes if isinstance(each, FileText)]
        held = [list(each.parts()) if len(each.packed) < _LONG else [] for each in texts]
        embedded = iter(self._embed([part for parts in held for part in parts]))
        counts = iter(map(len, held))
        return [
            Embedded(each, list(islice(embedded, next(counts))) or self._later(each))
            if isinstance(each, FileText)
            else each
            for each in outcomes
        ]

    def _later(self, file: FileText) -> Iterator[DocumentPart]:
        """The parts of a long document, the next on the thread while one is written."""
        waiting: deque[Future[list[DocumentPart]]] = deque()
        for part in file.parts():
            waiting.append(self._thread.submit(self._embed, [part]))
            if len(waiting) > 1:
                yield from waiting.popleft().result()
        for each in waiting:
            yield from each.result()


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


def _embedded(embedder: Embedder, lookup: Lookup, parts: Sequence[TextPart]) -> list[DocumentPart]:
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
