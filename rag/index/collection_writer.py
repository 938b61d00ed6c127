"""Writing a collection, in whichever store it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from rag.embed.protocol import Vectors
from rag.index import contents
from rag.index.codec import encode_path
from rag.index.contents import Contents
from rag.index.protocol import DocumentPart, FileMark, FileStat, IndexedDocument, UnreadFile

GROUP_CHUNKS = 1_000
GROUP_CHARACTERS = 4_000_000
"""How much of small documents is written in one transaction."""


class CollectionWriter(Contents, ABC):
    """One collection, open for writing; its lock is held from opening to closing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        self.close(interrupted=failure is not None)

    @property
    def name(self) -> str:
        return self._row.name

    def documents(self) -> list[IndexedDocument]:
        """What is indexed now, in no order; includes what was put and not yet flushed."""
        self.flush()
        return contents.documents(self._sql, self._row.id)

    def file_marks(self) -> list[FileMark]:
        """Of all documents that are files, in no order."""
        self.flush()
        return contents.file_marks(self._sql, self._row.id)

    def file_stats(self) -> dict[str, FileStat]:
        """Of all documents that are files, by path."""
        self.flush()
        return contents.file_stats(self._sql, self._row.id)

    @abstractmethod
    def totals(self) -> tuple[int, int]:
        """How many documents and chunks are visible."""

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

    @abstractmethod
    def put(self, document: IndexedDocument, parts: Iterable[DocumentPart]) -> None:
        """Adds the document, or replaces the one of the same source.

        The document becomes visible at once and whole, at the latest with `flush`. If
        `parts` raises, nothing of the document is kept and the older one stays.
        """

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
            " WHERE collection_id = ? AND source = ? AND visible = 1",
            (*contents.place_of(document), self._row.id, encode_path(document.source)),
        )

    @abstractmethod
    def set_unread(self, files: Iterable[UnreadFile], forget: Iterable[str] = ()) -> None:
        """Remembers files, replacing what was known of their paths; forgets other paths."""

    @abstractmethod
    def vectors_for(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """The vectors, shape (dimension,), of those `texts` that were embedded before."""

    @abstractmethod
    def flush(self) -> None:
        """Makes everything put so far visible and durable against a killed process."""

    @abstractmethod
    def close(self, *, interrupted: bool) -> None:
        """Flushes; unless `interrupted`, brings up to date what is built of the documents."""
