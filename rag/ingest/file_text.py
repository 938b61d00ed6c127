"""What a reading worker is asked, and what it sends back: a file's text, or why there is none."""

from __future__ import annotations

import copyreg
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rag.index.protocol import FileStat, IndexedDocument
from state.blocks import Block, BlockKind
from state.documents import Chunk

READING = "18:"
"""Begins every content hash. Raised when reading or chunking changes, so that every document
is read again.
"""

WAITING = READING + "?"
"""Begins the hash of a document with pages that the extra `ocr` would read: it is read again once
that is installed.
"""


class Task(NamedTuple):
    """A file to read of about `size` bytes, the document that it is to be, and the root that it was
    found under. When its content's hash is one of `known`, its text does not come back.
    """

    path: str
    size: int
    source: str
    root: str
    known: tuple[str, ...] = ()


class TextPart(NamedTuple):
    """A stretch of a document's text, and the chunks that end in it; embedded it is a
    `rag.index.protocol.DocumentPart`.
    """

    text: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class FileText:
    """A file read to its end.

    Attributes:
        document: its `stat` is of before the first byte was read.
        waiting: as of `rag.documents.stream.Reading`.
        held: the parts of a short document; a long one lies in the file `spool`.
    """

    document: IndexedDocument
    waiting: int = 0
    held: tuple[TextPart, ...] = ()
    spool: str | None = None

    def parts(self) -> Iterator[TextPart]:
        """The parts in order, their chunks with an identity; a spooled document's file is removed
        behind them.
        """
        for text, chunks in self.held if self.spool is None else _spooled(self.spool):
            named = (chunk.of(self.document.source, self.document.title) for chunk in chunks)
            yield TextPart(text, tuple(named))


@dataclass(frozen=True, slots=True)
class SameContent:
    """The file holds what is already known under this hash."""

    task: Task
    stat: FileStat
    content_hash: str


@dataclass(frozen=True, slots=True)
class Unread:
    """The file gave no text. `lasting`: reading the same bytes again would end the same way.
    `waiting`: how many of its pages the extra `ocr` would read.
    """

    path: str
    stat: FileStat | None
    reason: str
    failed: bool
    lasting: bool = True
    waiting: int = 0


Outcome = FileText | SameContent | Unread

OF_PARTS = (TextPart, Chunk, Block, BlockKind)
OF_OUTCOMES = (FileText, SameContent, Unread, Task, IndexedDocument, FileStat, *OF_PARTS)
"""The classes that outcomes are made of."""

# As its class and its value in every release of Python.
copyreg.pickle(BlockKind, lambda kind: (BlockKind, (kind.value,)))


def _spooled(path: str) -> Iterator[TextPart]:
    from rag.child_process import load

    with open(path, "rb") as file:
        os.unlink(path)
        while file.peek(1):
            yield load(file, OF_PARTS)
