"""Texts to vectors on a thread of its own: in batches across documents, each text once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, cast

from rag.index.codec import text_hash
from rag.index.protocol import DocumentPart, embedding_text
from rag.ingest.file_text import FileText, Outcome, SameContent, TextPart, Unread

if TYPE_CHECKING:
    from rag.embed.protocol import Embedder, Vectors

BATCH_CHUNKS = 256
_BATCHES_AHEAD = 4
_POLL_SECONDS = 0.2
_KEPT_BYTES = 16 << 20

Lookup = Callable[[Sequence[str]], "Mapping[str, Vectors]"]
"""The vectors of those texts that were embedded before; called on the embedding thread."""


class Stopped(Exception):  # noqa: N818 - not an error: somebody asked for it
    """Raised in the thread of an ingest that should end."""


class Embedded(NamedTuple):
    """A document that is ready to be written. The parts of a long one arrive as they are
    taken, and taking them raises what embedding them raised.
    """

    file: FileText
    parts: Iterable[DocumentPart]


_Ready = Embedded | SameContent | Unread
_Item = _Ready | DocumentPart | None
"""The parts of a spooled document follow one by one, then None; so does the end of all."""


class EmbeddingThread:
    """Takes outcomes, gives them back in the same order with every text embedded."""

    def __init__(
        self,
        outcomes: Iterable[Outcome | None],
        embedder: Embedder,
        lookup: Lookup,
        stop: threading.Event,
    ) -> None:
        self._outcomes = outcomes
        self._vectors = _VectorCache(embedder, lookup)
        self._stop = stop
        self._batches: queue.Queue[list[_Item] | BaseException] = queue.Queue(_BATCHES_AHEAD)
        self._thread = threading.Thread(target=self._run, name="embedding")
        self._thread.start()

    def results(self, idle: Callable[[], None]) -> Iterator[_Ready]:
        """What is ready to be written; `idle` is called when there is nothing for a while.

        Raises:
            ModelError: a remote embedder failed.
        """
        items = self._items(idle)
        every: Iterator[_Ready | DocumentPart] = iter(items.__next__, None)
        for item in every:
            if isinstance(item, Embedded) and item.file.spool:
                rest = cast("Iterator[DocumentPart]", iter(items.__next__, None))
                yield Embedded(item.file, rest)
                for _ in rest:  # not all were taken
                    pass
            else:
                assert not isinstance(item, DocumentPart)
                yield item

    def end(self) -> None:
        self._stop.set()
        self._thread.join()

    def _items(self, idle: Callable[[], None]) -> Iterator[_Item]:
        while True:
            try:
                batch = self._batches.get(timeout=1.0)
            except queue.Empty:
                idle()
                continue
            if isinstance(batch, BaseException):
                raise batch
            yield from batch

    def _run(self) -> None:
        try:
            self._embed_all()
            self._put([None])
        except Stopped:
            return
        except BaseException as error:  # noqa: BLE001 - raised again where results are taken
            self._put(error)

    def _embed_all(self) -> None:
        waiting: list[Outcome] = []
        chunks = 0
        for outcome in self._outcomes:
            long = outcome if isinstance(outcome, FileText) and outcome.spool else None
            if outcome is not None and long is None:
                waiting.append(outcome)
                if isinstance(outcome, FileText):
                    chunks += sum(len(part.chunks) for part in outcome.held)
                if chunks < BATCH_CHUNKS and len(waiting) < BATCH_CHUNKS:
                    continue
            self._embed(waiting)
            waiting, chunks = [], 0
            if long is not None:
                self._put([Embedded(long, ())])
                for part in long.parts():
                    self._put(list(self._vectors.embed([part])))
                self._put([None])
        self._embed(waiting)

    def _embed(self, outcomes: Sequence[Outcome]) -> None:
        if not outcomes:
            return
        files = [outcome for outcome in outcomes if isinstance(outcome, FileText)]
        embedded = self._vectors.embed([part for file in files for part in file.parts()])
        self._put(
            [
                Embedded(outcome, list(islice(embedded, len(outcome.held))))
                if isinstance(outcome, FileText)
                else outcome
                for outcome in outcomes
            ]
        )

    def _put(self, items: list[_Item] | BaseException) -> None:
        """Waits for room.

        Raises:
            Stopped: somebody asked for it meanwhile.
        """
        while not self._stop.is_set():
            try:
                return self._batches.put(items, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
        raise Stopped


class _VectorCache:
    """Embeds what was not embedded lately nor ever before in this collection."""

    def __init__(self, embedder: Embedder, lookup: Lookup) -> None:
        self._embedder = embedder
        self._lookup = lookup
        self._most = max(256, _KEPT_BYTES // (4 * embedder.identity.dimension))
        self._kept: dict[int, Vectors] = {}

    def embed(self, parts: Sequence[TextPart]) -> Iterator[DocumentPart]:
        import numpy as np

        texts = [[embedding_text(chunk) for chunk in chunks] for _, chunks in parts]
        vectors = self._vectors_of([text for each in texts for text in each])
        dimension = self._embedder.identity.dimension
        for (text, chunks), own in zip(parts, texts, strict=True):
            rows = [vectors[each] for each in own]
            stacked = np.stack(rows) if rows else np.zeros((0, dimension), dtype=np.float32)
            yield DocumentPart(text, chunks, stacked)

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
