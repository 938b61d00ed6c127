"""Writing a collection, in whichever store it is: small documents in groups, a large one alone.

Each group is one transaction, and so is a large document, of which only a stretch is held at a
time: memory stays bounded, a reader sees it when it is whole, and of what a killed process had
begun nothing is left.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Self

from rag.embed.protocol import Vectors
from rag.index.codec import encode_path
from rag.index.collection_rows import CollectionRow
from rag.index.contents import Contents, Sql, place_of
from rag.index.protocol import DocumentPart, IndexedDocument, UnreadFile

GROUP_CHUNKS = 1_000
GROUP_CHARACTERS = 4_000_000
"""How much of small documents is written in one transaction."""


class CollectionWriter(Contents, ABC):
    """One collection, open for writing; its lock is held from opening to closing."""

    _group_seconds: float
    """How long documents wait for others to be written with."""

    def __init__(self, sql: Sql, row: CollectionRow) -> None:
        super().__init__(sql, row.id)
        self._row = row
        self._waiting: dict[str, tuple[IndexedDocument, Iterable[DocumentPart]]] = {}
        self._chunks = self._characters = 0
        self._since = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        self.close(interrupted=failure is not None)

    @property
    def name(self) -> str:
        return self._row.name

    @property
    def uid(self) -> str:
        """Tells the collection and its copies from another of the same name."""
        return self._row.uid

    def _asked(self, query: str, *values: object) -> list[Any]:
        self.flush()  # what was put is told of, too
        return super()._asked(query, *values)

    @abstractmethod
    def set_root(self, path: str, options: str) -> None: ...

    def forget_root(self, path: str) -> None:
        """Forgets the folder; its documents are removed by `remove`."""
        self._sql.execute(
            "DELETE FROM roots WHERE collection_id = ? AND path = ?",
            (self._row.id, encode_path(path)),
        )

    def expect(self, chunks: int) -> None:
        """Tells that about so many chunks will be put, so that what takes long can begin."""

    def put(self, document: IndexedDocument, parts: Iterable[DocumentPart]) -> None:
        """Adds the document, or replaces the one of the same source.

        The document becomes visible at once and whole, at the latest with `flush`. If
        `parts` raises, nothing of the document is kept and the older one stays.
        """
        rest = iter(parts)
        held: list[DocumentPart] = []
        chunks = characters = 0
        for part in rest:
            held.append(part)
            chunks += len(part.chunks)
            characters += len(part.text)
            if chunks >= GROUP_CHUNKS or characters >= GROUP_CHARACTERS:
                self.flush()
                self._write_large(document, chain(held, rest))
                return
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting[document.source] = document, held
        self._chunks += chunks
        self._characters += characters
        if (
            self._chunks >= GROUP_CHUNKS
            or self._characters >= GROUP_CHARACTERS
            or time.monotonic() - self._since > self._group_seconds
        ):
            self.flush()

    def flush(self) -> None:
        """Makes everything put so far visible and durable against a killed process."""
        if self._waiting:
            waiting, self._waiting = self._waiting, {}
            self._chunks = self._characters = 0
            self._write(waiting)

    def _write_large(self, document: IndexedDocument, parts: Iterable[DocumentPart]) -> None:
        """As `_write`; the parts are made as they are taken."""
        self._write({document.source: (document, parts)})

    @abstractmethod
    def _write(
        self, documents: Mapping[str, tuple[IndexedDocument, Iterable[DocumentPart]]]
    ) -> None:
        """Writes documents, by source, in place of those there were, in one transaction."""

    @abstractmethod
    def remove(self, sources: Iterable[str]) -> int:
        """Removes documents; returns how many there were. Unknown sources are ignored."""

    @abstractmethod
    def rename(self, old_source: str, document: IndexedDocument) -> bool:
        """Gives an indexed document another source, path, root, time and title without
        embedding it again; False if `old_source` is not indexed or the new source is.
        """

    def touch(self, document: IndexedDocument) -> None:
        """Updates path, root, size and times of an indexed document, found by source."""
        self.flush()
        self._sql.execute(
            "UPDATE documents SET path = ?, root = ?, size = ?, mtime_ns = ?, changed_ns = ?"
            " WHERE collection_id = ? AND source = ?",
            (*place_of(document), self._row.id, encode_path(document.source)),
        )

    @abstractmethod
    def set_unread(self, files: Iterable[UnreadFile], forget: Iterable[str] = ()) -> None:
        """Remembers files, replacing what was known of their paths; forgets other paths."""

    @abstractmethod
    def vectors_for(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """The vectors, shape (dimension,), of those `texts` that were embedded before."""

    @abstractmethod
    def close(self, *, interrupted: bool) -> None:
        """Flushes; unless `interrupted`, brings up to date what is built of the documents."""
