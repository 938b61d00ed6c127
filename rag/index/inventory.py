"""What a collection holds, without opening it for search: for status and dry runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from rag.embed.protocol import EmbedderIdentity
from rag.index.protocol import FileMark, IndexedDocument, UnreadFile


class IngestedRoot(NamedTuple):
    """A folder or file that was ingested, with its recorded options; `here`: on this machine."""

    path: str
    options: str
    here: bool = True


FileTime = tuple[str, int, int, int]
"""A path with the size, mtime_ns and changed_ns of its file when it was read."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """One moment of a collection. `roots` are the ingested folders and files, sorted."""

    name: str
    embedder: EmbedderIdentity
    documents: list[IndexedDocument]
    marks: list[FileMark]
    unread: list[UnreadFile]
    roots: list[str]

    @property
    def chunk_count(self) -> int:
        return sum(document.chunk_count for document in self.documents)


@dataclass(frozen=True, slots=True)
class CollectionSummary:
    """Totals of a collection, counted by the store; `failed` and `skipped` are files."""

    name: str
    embedder: EmbedderIdentity
    documents: int
    chunks: int
    characters: int
    failed: int
    skipped: int
    roots: list[str]
