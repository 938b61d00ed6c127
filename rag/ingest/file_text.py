"""What a worker is sent and what it sends back: a file's text, or why there is none."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rag.documents.formats import SUFFIXES, Format
from rag.documents.picture import can_recognize
from rag.index.protocol import DocumentPart, FileStat, IndexedDocument, UnreadFile

READER_VERSION = "64"
"""Counted up when reading or chunking changes."""


def reading_version() -> str:
    """The version of reading and chunking, with the extra `ocr` or without it. Every content hash
    begins with it, so that all documents are read again when it changes.
    """
    return f"{READER_VERSION}{'+ocr' * can_recognize()}:"


class ReadTask(NamedTuple):
    """A file to read of about `size` bytes, the source that its document is to have, and the root
    that it was found under. When the hash of its content is `known`, no text comes back.
    """

    path: str
    size: int
    source: str
    root: str
    known: str = ""

    @property
    def named(self) -> Format | None:
        """The format that its last extension names, if one does."""
        return SUFFIXES.get(os.path.splitext(self.path)[1].lower())


@dataclass(frozen=True, slots=True)
class FileText:
    """A file read to its end.

    Attributes:
        document: its `stat` was taken before the first byte was read.
        pickled: its parts, which take a tenth of the memory that their objects take.
        chunk_count: how many chunks they hold.
    """

    document: IndexedDocument
    pickled: tuple[bytes, ...]
    chunk_count: int

    def parts(self) -> Iterator[DocumentPart]:
        """The parts in order; their chunks have source, title and id now."""
        for text, chunks in map(pickle.loads, self.pickled):
            named = (chunk.of(self.document.source, self.document.title) for chunk in chunks)
            yield DocumentPart(text, tuple(named))


@dataclass(frozen=True, slots=True)
class SameContent:
    """The file holds what is already known under this hash."""

    task: ReadTask
    stat: FileStat


ReadOutcome = FileText | SameContent | UnreadFile
