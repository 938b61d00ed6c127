"""One file to its text and chunks: what a worker is sent, what it does and what it sends back; no
exception leaves it.

A worker is a process of its own so that a parser which hangs, crashes or eats memory costs one
file and not the ingest, and so that parsing uses every core.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import pickle
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rag.documents.picture import can_recognize
from rag.index.protocol import NO_FILE, DocumentPart, FileStat, IndexedDocument, UnreadFile
from state.errors import DocumentError, UnsupportedFormatError

if TYPE_CHECKING:
    from rag.documents.stream import Part, Reading
    from rag.text.headings import Naming
    from state.documents import Chunk

READER_VERSION = "86"
"""Counted up when reading or chunking changes."""

PART_CHARACTERS = 1 << 17

_BEAT_SECONDS = 1.0
_MEMORY_BYTES = 4 << 30
_LASTING = (None, errno.EINVAL, errno.EACCES, errno.EPERM)
"""An OSError of these numbers is the file's own: its rights, or damage, which often has none."""


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


@dataclass(frozen=True, slots=True)
class FileText:
    """A file read to its end.

    Attributes:
        document: its `stat` was taken before the first byte was read.
        pickled: its parts, which take a tenth of the memory that their objects take.
    """

    document: IndexedDocument
    pickled: tuple[bytes, ...]

    def parts(self) -> Iterator[DocumentPart]:
        return map(pickle.loads, self.pickled)


@dataclass(frozen=True, slots=True)
class SameContent:
    """The file holds what is already known under this hash."""

    task: ReadTask
    stat: FileStat


ReadOutcome = FileText | SameContent | UnreadFile


def read_file(task: ReadTask, beat: Callable[[], None]) -> ReadOutcome:
    """Read, hash and chunk one file. `beat` is called as often as there is progress."""
    stat = NO_FILE
    try:
        stat = FileStat.of(os.stat(task.path))
        found = _content_hash(task.path)
        if found == task.known:
            return SameContent(task, stat)
        outcome = _read(task, stat, found, beat)
        changed = FileStat.of(os.stat(task.path)) != stat
    except (DocumentError, OSError) as error:
        return _failure(task.path, stat, error)
    reason = "it changed while it was read: the next ingest reads it"
    return UnreadFile(task.path, stat, reason, failed=True, reading="") if changed else outcome


def _failure(path: str, stat: FileStat, error: DocumentError | OSError) -> UnreadFile:
    if isinstance(error, DocumentError):
        reason, cause = error.message, error.__cause__
    else:
        reason, cause = f"cannot be read: {error.strerror or error}", error
        if isinstance(error, FileNotFoundError):
            reason = "gone before it was read"
    passing = isinstance(cause, OSError) and cause.errno not in _LASTING
    failed = not isinstance(error, UnsupportedFormatError)
    return UnreadFile(path, stat, reason, failed, "" if passing else reading_version())


def _read(task: ReadTask, stat: FileStat, content_hash: str, beat: Callable[[], None]) -> FileText:
    from rag.documents.registry import open_document
    from rag.text.blocks import MARKDOWN
    from rag.text.headings import document_title, naming_blocks

    path = Path(task.path)
    pickled: list[bytes] = []
    naming: list[Naming] = []
    chunk_count = 0
    with open_document(path, on_step=beat) as stream:
        for part in _chunked(stream, beat):
            pickled.append(pickle.dumps(part))
            chunk_count += len(part.chunks)
            naming += naming_blocks(part.chunks) if stream.format in MARKDOWN else ()
        document = IndexedDocument(
            source=task.source,
            path=task.path,
            root=task.root,
            content_hash=content_hash,
            stat=stat,
            title=stream.title or document_title(naming, path),
            format=stream.format,
            chunk_count=chunk_count,
            warnings=tuple(stream.warnings),
        )
    return FileText(document, tuple(pickled))


def _chunked(stream: Reading, beat: Callable[[], None]) -> Iterator[DocumentPart]:
    """The document in stretches of about PART_CHARACTERS, each with the chunks ending in it."""
    from rag.text.chunk import chunk_parts

    parts: list[Part] = []
    for part in stream.parts:
        parts.append(part)
        beat()
    text, start = "".join(part.text for part in parts), 0
    chunks: list[Chunk] = []
    for chunk in chunk_parts(parts, stream.format):
        chunks.append(chunk)
        if chunk.end_char - start > PART_CHARACTERS:
            beat()
            yield DocumentPart(text[start : chunk.end_char], tuple(chunks))
            start = chunk.end_char
            chunks.clear()
    yield DocumentPart(text[start:], tuple(chunks))


def _content_hash(path: str) -> str:
    with open(path, "rb", buffering=0) as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
    return reading_version() + digest.hexdigest()


def main(descriptor: str) -> None:
    """Answer lists of tasks, one outcome a task; None meanwhile is a sign of life."""
    from rag.child_process import Parent

    parent = Parent(descriptor)
    with contextlib.suppress(ValueError, OSError):  # a lower limit is already set
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    last = time.monotonic()

    def beat() -> None:
        nonlocal last
        if time.monotonic() - last > _BEAT_SECONDS:
            last = time.monotonic()
            parent.answer(None)

    for tasks in parent:
        for task in tasks:
            parent.answer(read_file(task, beat))
