"""What a reading worker sends back: one file's text with its chunks, or why there is none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from rag.child_process import read_frame
from rag.index.protocol import FileStat
from state.block_codec import decode_blocks, encode_blocks
from state.documents import Chunk


class TextPart(NamedTuple):
    """A stretch of a document's text, and the chunks that end in it, which have no identity yet: a
    worker knows the path alone. Named and embedded it is a `rag.index.protocol.DocumentPart`.
    """

    text: str
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class FileText:
    """A file read to its end.

    Attributes:
        stat: of the file before its first byte was read.
        content_hash: of its bytes, in hexadecimal.
        recognized, waiting: as of `rag.documents.stream.Reading`.
        held: the parts of a short document; a long one lies in the file `spool`.
    """

    path: str
    stat: FileStat
    content_hash: str
    title: str | None
    format: str
    warnings: tuple[str, ...]
    recognized: tuple[tuple[int, int], ...] = ()
    waiting: int = 0
    held: tuple[TextPart, ...] = ()
    spool: str | None = None

    def parts(self) -> Iterator[TextPart]:
        """The parts in order; a spooled document's file is removed behind them."""
        if self.spool is None:
            yield from self.held
            return
        with open(self.spool, "rb") as file:
            os.unlink(self.spool)
            while (plain := read_frame(file)) is not None:
                yield _part(plain)


@dataclass(frozen=True, slots=True)
class SameContent:
    """The file holds what is already known under this hash."""

    path: str
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


def plain_part(part: TextPart) -> tuple[Any, ...]:
    return part.text, [
        (
            p.start_char,
            p.end_char,
            p.start_line,
            p.end_line,
            p.page,
            p.heading,
            encode_blocks(p.blocks, p.start_char),
            p.text,
        )
        for p in part.chunks
    ]


def plain(outcome: Outcome) -> tuple[Any, ...]:
    """An outcome as nested tuples of plain values; `from_plain` is its inverse."""
    stat = None if outcome.stat is None else tuple(outcome.stat)
    if isinstance(outcome, FileText):
        held = [plain_part(part) for part in outcome.held]
        rest: tuple[Any, ...] = (
            outcome.content_hash, outcome.title, outcome.format, outcome.warnings,
            outcome.recognized, outcome.waiting, held, outcome.spool,
        )  # fmt: skip
        return ("text", outcome.path, stat, *rest)
    if isinstance(outcome, SameContent):
        return "same", outcome.path, stat, outcome.content_hash
    flags = outcome.failed, outcome.lasting, outcome.waiting
    return "unread", outcome.path, stat, outcome.reason, *flags


def from_plain(values: tuple[Any, ...]) -> Outcome:
    kind, path, stat, *rest = values
    known = None if stat is None else FileStat(*stat)
    if kind == "unread":
        return Unread(path, known, *rest)
    assert known is not None
    if kind == "same":
        return SameContent(path, known, *rest)
    content_hash, title, document_format, warnings, recognized, waiting, held, spool = rest
    parts = tuple(map(_part, held))
    return FileText(
        path,
        known,
        content_hash,
        title,
        document_format,
        warnings,
        recognized,
        waiting,
        parts,
        spool,
    )


def _part(values: tuple[str, Iterable[tuple[Any, ...]]]) -> TextPart:
    text, chunks = values
    return TextPart(text, tuple(_chunk(*chunk) for chunk in chunks))


def _chunk(start: int, end: int, *rest: Any) -> Chunk:
    first, last, page, heading, blocks, text = rest
    known = tuple(decode_blocks(blocks, start))
    return Chunk(*("", "", None), page, first, last, start, end, text, heading, known)
