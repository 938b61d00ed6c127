"""A collection of a shared store as it can be copied whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rag.index.codec import decode_block, decode_path, encode_path
from rag.index.postgres.shared_collection_rows import StoredCollection
from rag.index.postgres.shared_document_rows import received
from rag.index.transfer import CHUNK_COLUMNS, PART_CHUNKS, Export, ExportedChunk, digest_of
from state.postgres import Worded

if TYPE_CHECKING:
    import psycopg

# The first four bytes that `halfvec_send` gives are the dimension.
_DIGESTS = """
SELECT source, content_hash, characters, chunk_count, encode(sha256(coalesce(string_agg(
  int8send(key) || substring(halfvec_send(vector) FROM 5), ''::bytea ORDER BY chunks.id),
  ''::bytea)), 'hex')
FROM documents
LEFT JOIN chunks ON chunks.collection_id = documents.collection_id
  AND chunks.document_id = documents.id
LEFT JOIN vectors ON vectors.collection_id = %(collection)s AND vectors.chunk_id = chunks.id
WHERE documents.collection_id = %(collection)s
GROUP BY documents.collection_id, documents.id ORDER BY documents.id
"""
_CHUNKS = f"""
SELECT {CHUNK_COLUMNS}, text, halfvec_send(vector)
FROM chunks JOIN vectors ON vectors.collection_id = %(collection)s
  AND vectors.chunk_id = chunks.id
WHERE chunks.collection_id = %(collection)s AND chunks.id >= %(first)s AND chunks.id < %(past)s
ORDER BY chunks.id
"""


class PostgresExport(Export):
    """On a connection in a snapshot."""

    def __init__(self, db: psycopg.Connection[Any], row: StoredCollection) -> None:
        super().__init__(Worded(db), row)
        self._db = db

    def digests(self) -> dict[str, str]:
        rows = self._db.execute(_DIGESTS, {"collection": self._collection_id})
        return {decode_path(source): digest_of(*rest) for source, *rest in rows}

    def _blocks(self, source: str) -> Iterator[str]:
        (number, *_), place = self._place(source), 0
        while row := self._db.execute(
            "SELECT data FROM blocks WHERE collection_id = %s AND document_id = %s AND number = %s",
            (self._collection_id, number, place),
            binary=True,
        ).fetchone():
            yield decode_block(row[0])
            place += 1

    def _chunks(self, source: str) -> Iterator[list[ExportedChunk]]:
        _, first, past = self._place(source)
        for start in range(first, past, PART_CHUNKS):
            end = min(start + PART_CHUNKS, past)
            asked = {"collection": self._collection_id, "first": start, "past": end}
            rows = self._db.execute(_CHUNKS, asked, binary=True)
            yield [
                (row, row[-2].decode("utf-8", "surrogatepass"), received(row[-1])) for row in rows
            ]

    def _place(self, source: str) -> tuple[int, int, int]:
        """A document's number, its first chunk and the one past its last."""
        row = self._db.execute(
            "SELECT id, first_chunk, first_chunk + chunk_count FROM documents"
            " WHERE collection_id = %s AND source = %s",
            (self._collection_id, encode_path(source)),
        ).fetchone()
        return row or (0, 0, 0)
