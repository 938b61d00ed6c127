"""What the rest of the program may ask of a collection it reads or writes.

`store_of` in `rag/opening.py` gives the store that the settings name, which opens the real
ones. Readers never block writers and never see half a document.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rag.embed.protocol import Embedder, Vectors
from state.documents import Chunk, headed_text

if TYPE_CHECKING:
    from state.passages import RetrievedChunk


class CollectionReader(Protocol):
    """One collection, open for reading."""

    @property
    def name(self) -> str: ...

    @property
    def embedder(self) -> Embedder: ...

    @property
    def chunk_count(self) -> int: ...

    @property
    def document_count(self) -> int: ...

    @property
    def dense_searched(self) -> str:
        """What answered the dense leg of the last search: "chroma", "pgvector", or "catalog" with
        the reason.
        """

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        """The `k` best chunks by score fusion of BM25 and cosine, best first (`loop` is 0); of
        copies the best stands for all.

        Any text is a legal query; one without a searchable word uses the dense leg alone.
        """

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each term. Terms as `rag.index.terms.terms` gives them."""

    def similar_terms(self, word: str, limit: int) -> list[tuple[str, int]]:
        """Words of the collection one slip away from `word` (a letter exchanged, dropped, added,
        or swapped with its neighbour, but not the first), as (word, document frequency), the
        most frequent first.
        """

    def vectors(self, chunk_ids: Sequence[str]) -> Vectors:
        """The stored vectors, shape (len(chunk_ids), dimension), in the order asked."""

    def document_text(self, source: str, start: int = 0, end: int | None = None) -> str | None:
        """The extracted text of a source, of which `[start:end]`, without reading the rest; None
        if it is not in the collection.
        """

    def around(self, chunk_id: str, before: int, after: int) -> list[RetrievedChunk]:
        """The chunk with so many of its document before and after it, in the document's order, not
        scored; none where it is not in the collection.
        """

    def document_chunks(self, source: str, limit: int) -> list[RetrievedChunk]:
        """The first chunks of a document in its order, not scored; none where it is unknown."""

    def outline(self, most: int) -> list[DocumentOutline]:
        """What the first documents by source are about, as their titles and headings tell it."""

    def document_names(self, most: int) -> list[str]:
        """The titles of the first documents by source, the source where there is none."""

    def document(self, source: str) -> IndexedDocument | None:
        """What the catalog knows of a source, or None if it is not in the collection."""

    def close(self) -> None: ...


Notice = Callable[[str], None]
"""Receives one line for the person, such as that the vector store was built again."""


class FileStat(NamedTuple):
    """What tells that a file is the one seen before. `changed_ns` is the inode's own time,
    which no program can set back.
    """

    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileStat:
        return cls(status.st_size, status.st_mtime_ns, status.st_ctime_ns)


NO_FILE = FileStat(0, 0, 0)


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document as the catalog remembers it.

    Attributes:
        source: what people see in citations; unique in the collection.
        path, root: the file and the ingested folder it was found under; None for a document
            that is no file.
        stat: of the file when it was read.
        content_hash: of the file's bytes, in the ingest's own form.
        chunk_count, characters: counted by the writer; what `put` is given is not looked at.
        warnings: what could not be read, in words.
        recognized: of each page that was read off a picture (0 where there are no pages), how
            sure the recognizer was, in percent.
    """

    source: str
    path: str | None
    root: str | None
    content_hash: str
    stat: FileStat = NO_FILE
    title: str | None = None
    format: str = "text"
    chunk_count: int = 0
    characters: int = 0
    warnings: tuple[str, ...] = ()
    recognized: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentOutline:
    """`headings` are those above its chunks, each once, in order; `characters` of its text."""

    source: str
    title: str | None
    headings: tuple[str, ...]
    characters: int


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that gave no document, so that the next ingest need not try it again."""

    path: str
    stat: FileStat
    reason: str
    failed: bool


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A stretch of a document's text with the chunks that end in it.

    The parts' texts, one after the other, are the document's text, and the chunks' offsets
    index that whole. `vectors` has one row a chunk, of `embedding_text(chunk)`.
    """

    text: str
    chunks: Sequence[Chunk]
    vectors: Vectors


def embedding_text(chunk: Chunk) -> str:
    """What an embedder is given of a chunk."""
    return headed_text(chunk.title, chunk.heading, chunk.text)
