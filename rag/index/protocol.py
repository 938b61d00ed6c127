"""The values that go into a collection and come out of it, except chunks."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from state.documents import Chunk

Notice = Callable[[str], None]
"""Receives one line for the person, such as that the vector store was built again."""


class FileStat(NamedTuple):
    """A file's size and times, which tell whether it has changed. `changed_ns` is the inode's own
    time, which no program can set back.
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
        content_hash: the version of the reader, and a hash of the file's bytes.
        chunk_count, characters: counted by the writer, which ignores what it is given.
        warnings: what could not be read, in words.
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


@dataclass(frozen=True, slots=True)
class DocumentOutline:
    """`headings` are those above its chunks, each once, in order; `characters` of its text."""

    source: str
    title: str | None
    headings: tuple[str, ...]
    characters: int


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that gave no document, so that the next ingest need not try it again; `reading` is the
    version of the reader that tried, empty where reading the same bytes may end in another way.
    """

    path: str
    stat: FileStat
    reason: str
    failed: bool
    reading: str


class DocumentPart(NamedTuple):
    """A stretch of a document's text with the chunks that end in it. The parts' texts, one after
    the other, are the document's text, and the chunks' offsets index that whole.
    """

    text: str
    chunks: tuple[Chunk, ...]
