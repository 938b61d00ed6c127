"""Texts to vectors on a thread of its own: in batches across documents, each text once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rag.index.codec import text_hash
from rag.index.protocol import DocumentPart, embedding_text
from rag.ingest.file_text import FileText, Outcome, SameContent, TextPart, Unread
from state.closing import Closing

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder, Vectors

BATCH_CHUNKS = 256
_BATCHES_AHEAD = 4
_KEPT_BYTES = 16 << 20

Lookup = Callable[[Sequence[str]], "Mapping[str, Vectors]"]
"""The vectors of those texts that were embedded before; called on the embedding thread."""

_Given = TypeVar("_Given")
_Got = TypeVar("_Got")


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
        for ready in self._ahead(self._embedded, _batches(outcomes)):
            if not ready:
                idle()
            yield from ready

    def _ahead(self, function: Callable[[_Given], _Got], given: Iterable[_Given]) -> Iterator[_Got]:
        """What the function makes of each, in order; the next are on the thread meanwhile."""
        futures: deque[Future[_Got]] = deque()
        for each in given:
            futures.append(self._thread.submit(function, each))
            while futures and (futures[0].done() or len(futures) > _BATCHES_AHEAD):
                yield futures.popleft().result()
        for future in futures:
            yield future.result()

    def _embedded(self, outcomes: Sequence[Outcome]) -> list[_Ready]:
        held = [
            part
            for each in outcomes
            if isinstance(each, FileText) and not each.spool
            for part in each.parts()
        ]
        embedded = iter(self._vectors.embed(held))
        ready: list[_Ready] = []
        for each in outcomes:
            if not isinstance(each, FileText):
                ready.append(each)
            elif each.spool:
                long = self._ahead(self._vectors.embed, ([part] for part in each.parts()))
                ready.append(Embedded(each, chain.from_iterable(long)))
            else:
                ready.append(Embedded(each, list(islice(embedded, len(each.held)))))
        return ready


def _batches(outcomes: Iterable[Outcome | None]) -> Iterator[list[Outcome]]:
    """As many at a time as are worth it; none where none came for a while."""
    batch: list[Outcome] = []
    chunks = 0
    for outcome in outcomes:
        if outcome is not None:
            batch.append(outcome)
            if isinstance(outcome, FileText):
                chunks += sum(len(part.chunks) for part in outcome.held)
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
