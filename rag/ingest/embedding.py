"""Texts to vectors on a thread of its own: in batches across documents, each text once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rag.index.codec import text_hash
from rag.index.protocol import DocumentPart, embedding_text
from rag.ingest.file_text import FileText, Outcome, SameContent, TextPart, Unread
from state.closing import Closing

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder, Vectors

BATCH_CHUNKS = 256
_LONG = 4  # parts of a document that are not held together
_BATCHES_AHEAD = 4
_KEPT_BYTES = 16 << 20

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
        self._vectors = _VectorCache(embedder, lookup)
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
        embedded = iter(self._vectors.embed([part for parts in held for part in parts]))
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
            waiting.append(self._thread.submit(self._vectors.embed, [part]))
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


class _VectorCache:
    """Embeds what was not embedded lately nor ever before in this collection."""

    def __init__(self, embedder: Embedder, lookup: Lookup) -> None:
        self._embedder = embedder
        self._lookup = lookup
        self._most = max(256, _KEPT_BYTES // (4 * embedder.identity.dimension))
        self._kept: dict[int, Vectors] = {}

    def embed(self, parts: Sequence[TextPart]) -> list[DocumentPart]:
        import numpy as np

        texts = [[embedding_text(chunk) for chunk in chunks] for _, chunks in parts]
        vectors = self._vectors_of([text for each in texts for text in each])
        dimension = self._embedder.identity.dimension
        return [
            DocumentPart(
                text,
                chunks,
                np.array([vectors[each] for each in own], np.float32).reshape(-1, dimension),
            )
            for (text, chunks), own in zip(parts, texts, strict=True)
        ]

    def _vectors_of(self, texts: Sequence[str]) -> dict[str, Vectors]:
        keys = {text: text_hash(text) for text in texts}
        missing = [text for text, key in keys.items() if key not in self._kept]
        stored = self._lookup(missing)
        new = [text for text in missing if text not in stored]
        embedded = zip(new, self._embedder.embed_documents(new) if new else (), strict=True)
        for text, vector in (*stored.items(), *embedded):
            self._kept[keys[text]] = vector
        found = {text: self._kept[key] for text, key in keys.items()}
        while len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
        return found
