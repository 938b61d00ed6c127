"""What one transaction writes to a collection: documents, terms and vectors together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.index.codec import blocks_of, chunk_key, encode_block, encode_path, text_hash
from rag.index.contents import place_of
from rag.index.names import name_keys
from rag.index.postgres.postings import REMOVE, SEGMENT_CHUNKS, counted, ranges, write_segment
from rag.index.postgres.shared_document_rows import copy_rows, copy_vectors, label
from rag.index.protocol import DocumentPart, IndexedDocument, embedding_text
from state.block_codec import encode_blocks
from state.documents import Chunk, chunk_id

if TYPE_CHECKING:
    import psycopg

    from rag.embed.protocol import Vectors
    from rag.index.postgres.shared_collection_rows import StoredCollection

_FLUSH_BLOCKS = 250
_CHUNK_COLUMNS = (
    "collection_id, id, document_id, segment, terms, key, text_hash, start_char, end_char,"
    " start_line, end_line, page, heading, text, blocks, anchor"
)
_DOCUMENT_COLUMNS = (
    "collection_id, id, source, path, root, size, mtime_ns, changed_ns, content_hash, title,"
    " format, first_chunk, chunk_count, characters, warnings, recognized"
)


class Batch:
    """Inside one transaction, whose end the caller decides; `finish` is its last call."""

    def __init__(self, db: psycopg.Connection[Any], row: StoredCollection) -> None:
        self._db = db
        self._row = row
        self._document = row.next_document
        self._chunk = row.next_chunk
        self._change: Counter[str] = Counter()
        self._waiting: list[tuple[int, str | None, Chunk]] = []
        self._vectors: list[Vectors] = []
        self._documents: list[tuple[Any, ...]] = []
        self._names: list[tuple[Any, ...]] = []
        self._blocks: list[tuple[Any, ...]] = []

    def write(self, document: IndexedDocument, parts: Iterable[DocumentPart]) -> None:
        """Adds a document; one of the same source must have been removed."""
        number, first, characters = self._document, self._chunk, 0
        self._document += 1
        title = None if document.title is None else label(document.title)

        def texts() -> Iterator[str]:
            nonlocal characters
            for part in parts:
                characters += len(part.text)
                self._add_chunks(number, title, part)
                yield part.text

        for place, block in enumerate(blocks_of(texts())):
            self._blocks.append((self._row.id, number, place, encode_block(block)))
            if len(self._blocks) >= _FLUSH_BLOCKS:
                self._flush_blocks()
        count = self._chunk - first
        row = (
            self._row.id, number, encode_path(document.source), *place_of(document),
            document.content_hash, title, document.format, first, count, characters,
            json.dumps(document.warnings), json.dumps(document.recognized),
        )  # fmt: skip
        self._documents.append(row)
        self._name(number, document)
        self._change.update(documents=1, chunks=count, characters=characters)

    def _add_chunks(self, number: int, title: str | None, part: DocumentPart) -> None:
        for chunk, vector in zip(part.chunks, part.vectors, strict=True):
            self._waiting.append((number, title, chunk))
            self._vectors.append(vector)
            self._chunk += 1
            if len(self._waiting) == SEGMENT_CHUNKS:
                self._flush()

    def _flush_blocks(self) -> None:
        copy_rows(self._db, "blocks", "collection_id, document_id, number, data", self._blocks)
        self._blocks.clear()

    def _name(self, number: int, document: IndexedDocument) -> None:
        """Notes what a document is called."""
        keys = sorted(name_keys(document.source, document.title))
        self._names += [(self._row.id, label(key), number) for key in keys]

    def _flush(self) -> None:
        """Writes the chunks that wait, as one segment of the lexical index."""
        if not self._waiting:
            return
        segment = self._chunk - len(self._waiting)
        counts = [
            counted(place, chunk.text, title, label(chunk.heading))
            for place, (_, title, chunk) in enumerate(self._waiting)
        ]
        copy_rows(
            self._db,
            "chunks",
            _CHUNK_COLUMNS,
            [
                (
                    self._row.id, segment + place, number, segment, size,
                    chunk_key(chunk.chunk_id), text_hash(embedding_text(chunk)),
                    chunk.start_char, chunk.end_char, chunk.start_line, chunk.end_line,
                    chunk.page, label(chunk.heading), chunk.text.encode("utf-8", "surrogatepass"),
                    encode_blocks(chunk.blocks, chunk.start_char) if chunk.blocks else None,
                    None if chunk.anchor is None else label(chunk.anchor),
                )
                for (number, _, chunk), (place, _, size) in zip(self._waiting, counts, strict=True)
            ],
        )  # fmt: skip
        copy_vectors(self._db, self._row.id, segment, np.stack(self._vectors))
        self._change["terms"] += write_segment(self._db, self._row.id, segment, counts)
        self._waiting.clear()
        self._vectors.clear()

    def remove(self, sources: Sequence[str]) -> int:
        """Removes documents that were there before; returns how many there were."""
        rows = self._db.execute(
            "SELECT id, first_chunk, chunk_count, characters FROM documents"
            " WHERE collection_id = %s AND source = ANY(%s)",
            (self._row.id, [encode_path(source) for source in sources]),
        ).fetchall()
        if not rows:
            return 0
        spans = [(first, first + count) for _, first, count, _ in rows if count]
        values = {
            "collection": self._row.id,
            "documents": [row[0] for row in rows],
            "gone": ranges(spans),
            "firsts": [first for first, _ in spans],
            "ends": [end for _, end in spans],
        }
        those = (
            " USING unnest(%(firsts)s::int[], %(ends)s::int[]) AS span (first, past)"
            " WHERE collection_id = %(collection)s"
        )
        chunks = self._db.execute(
            f"DELETE FROM chunks{those} AND id >= first AND id < past RETURNING segment, terms",
            values,
        ).fetchall()
        self._db.execute(
            f"DELETE FROM vectors{those} AND chunk_id >= first AND chunk_id < past", values
        )
        self._db.execute(REMOVE, {**values, "segments": list({segment for segment, _ in chunks})})
        for table in ("blocks", "names", "documents"):
            column = "id" if table == "documents" else "document_id"
            self._db.execute(
                f"DELETE FROM {table} WHERE collection_id = %(collection)s"
                f" AND {column} = ANY(%(documents)s)",
                values,
            )
        self._change["documents"] -= len(rows)
        self._change["chunks"] -= len(chunks)
        self._change["characters"] -= sum(row[3] for row in rows)
        self._change["terms"] -= sum(terms for _, terms in chunks)
        return len(rows)

    def rename(self, number: int, document: IndexedDocument) -> None:
        """Another source, path, root and time; new chunk ids, the same vectors."""
        ((first, count),) = self._db.execute(
            "UPDATE documents SET source = %s, path = %s, root = %s, size = %s, mtime_ns = %s,"
            " changed_ns = %s WHERE collection_id = %s AND id = %s"
            " RETURNING first_chunk, chunk_count",
            (encode_path(document.source), *place_of(document), self._row.id, number),
        )
        self._db.execute(
            "DELETE FROM names WHERE collection_id = %s AND document_id = %s",
            (self._row.id, number),
        )
        self._name(number, document)
        rows = self._db.execute(
            "SELECT id, start_char, text FROM chunks WHERE collection_id = %s AND id >= %s"
            " AND id < %s",
            (self._row.id, first, first + count),
            binary=True,
        ).fetchall()
        keys = [
            chunk_key(chunk_id(document.source, start, text.decode("utf-8", "surrogatepass")))
            for _, start, text in rows
        ]
        self._db.execute(
            "UPDATE chunks SET key = new.key FROM unnest(%s::int[], %s::bigint[]) AS new (id, key)"
            " WHERE collection_id = %s AND chunks.id = new.id",
            ([row[0] for row in rows], keys, self._row.id),
        )

    def finish(self) -> None:
        """Writes what waits and the totals."""
        self._flush()
        self._flush_blocks()
        copy_rows(self._db, "documents", _DOCUMENT_COLUMNS, self._documents)
        copy_rows(self._db, "names", "collection_id, key, document_id", self._names)
        self._db.execute(
            "UPDATE collections SET revision = revision + 1, documents = documents + %s,"
            " chunks = chunks + %s, characters = characters + %s, terms = terms + %s,"
            " next_document = %s, next_chunk = %s WHERE id = %s",
            (
                *(self._change[key] for key in ("documents", "chunks", "characters", "terms")),
                self._document,
                self._chunk,
                self._row.id,
            ),
        )
