"""A document as records that a server can hold: a head, and its parts one by one.

What comes back from a server is data of somebody else: bounded, checked, never executed.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rag.index.codec import decode_vectors, encode_vectors
from rag.index.protocol import DocumentPart, IndexedDocument
from state.block_codec import decode_blocks, encode_blocks
from state.documents import Chunk, chunk_id

MOST_BYTES = 64 << 20
"""What a record may hold once it is unpacked."""


class RecordDamaged(Exception):  # noqa: N818 - a state of the record, not a failure shown to anyone
    """A record is not what crag writes."""


@dataclass(frozen=True, slots=True)
class Head:
    """A document without its text, and how many parts that has."""

    document: IndexedDocument
    parts: int


def pack_head(document: IndexedDocument, parts: int) -> str:
    """Nothing of the machine it was read on: no path, no folder, no times."""
    return _pack(
        {
            "source": document.source,
            "title": document.title,
            "format": document.format,
            "size": document.size,
            "warnings": list(document.warnings),
            "recognized": [list(each) for each in document.recognized],
            "parts": parts,
        }
    )


def unpack_head(data: object, key: str) -> Head:
    """`key` stands for the content: it changes whenever the document does.

    Raises:
        RecordDamaged

    """
    fields = _unpack(data)
    try:
        title = fields["title"]
        document = IndexedDocument(
            source=_text(fields["source"]),
            path=None,
            root=None,
            size=int(fields["size"]),
            mtime_ns=0,
            content_hash=key,
            title=None if title is None else _text(title),
            format=_text(fields["format"]),
            warnings=tuple(_text(each) for each in fields["warnings"]),
            recognized=tuple((int(page), int(sure)) for page, sure in fields.get("recognized", ())),
        )
        return Head(document, int(fields["parts"]))
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise RecordDamaged(str(error)) from error


def pack_part(context: str, part: DocumentPart) -> str:
    """`context`: what stands before the part's text and some of its chunks begin in."""
    return _pack(
        {
            "context": context,
            "text": part.text,
            "chunks": [
                [
                    *(chunk.start_char, chunk.end_char, chunk.start_line, chunk.end_line),
                    *(chunk.page, chunk.heading),
                    encode_blocks(chunk.blocks, chunk.start_char).hex(),
                ]
                for chunk in part.chunks
            ],
            "vectors": base64.b64encode(b"".join(encode_vectors(part.vectors))).decode("ascii"),
        }
    )


def unpack_part(
    data: object, document: IndexedDocument, start: int, dimension: int
) -> DocumentPart:
    """`start`: where the part's text begins in its document.

    Raises:
        RecordDamaged

    """
    import numpy as np

    fields = _unpack(data)
    try:
        context, text = _text(fields["context"]), _text(fields["text"])
        known, first = context + text, start - len(context)
        chunks = [_chunk(document, known, first, *row) for row in fields["chunks"]]
        stored = base64.b64decode(fields["vectors"], validate=True)
        vectors = decode_vectors([stored], len(stored) // 2).reshape(len(chunks), dimension)
        if not np.isfinite(vectors).all():
            raise RecordDamaged("a vector is not finite")
    except (KeyError, TypeError, ValueError, OverflowError, binascii.Error) as error:
        raise RecordDamaged(str(error)) from error
    return DocumentPart(text, chunks, vectors)


def _chunk(
    document: IndexedDocument,
    known: str,
    first: int,
    start: int,
    end: int,
    start_line: int,
    end_line: int,
    page: int | None,
    heading: str,
    blocks: str = "",
) -> Chunk:
    begin, stop = int(start) - first, int(end) - first
    if not 0 <= begin < stop <= len(known):
        raise RecordDamaged("a chunk lies outside of its text")
    text = known[begin:stop]
    return Chunk(
        chunk_id(document.source, int(start), text),
        document.source,
        document.title,
        None if page is None else int(page),
        int(start_line),
        int(end_line),
        int(start),
        int(end),
        text,
        _text(heading),
        tuple(decode_blocks(bytes.fromhex(_text(blocks)), int(start), stop - begin)),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise RecordDamaged("text was expected")
    return value


def _pack(fields: dict[str, Any]) -> str:
    # ASCII keeps what is no valid Unicode, too.
    return base64.b64encode(zlib.compress(json.dumps(fields).encode("ascii"))).decode("ascii")


def _unpack(data: object) -> dict[str, Any]:
    try:
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(base64.b64decode(_text(data), validate=True), MOST_BYTES)
        if unpacker.unconsumed_tail:
            raise RecordDamaged("larger than a record can be")
        fields = json.loads(raw)
    except (binascii.Error, zlib.error, ValueError, RecursionError) as error:
        raise RecordDamaged(str(error)) from error
    if not isinstance(fields, dict):
        raise RecordDamaged("not a record")
    return fields


def in_batches(rows: Iterable[tuple[str, str]], most: int) -> Iterator[Sequence[tuple[str, str]]]:
    """(id, data) pairs in lists of about `most` characters of data."""
    batch: list[tuple[str, str]] = []
    size = 0
    for identifier, data in rows:
        batch.append((identifier, data))
        size += len(data)
        if size >= most:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
