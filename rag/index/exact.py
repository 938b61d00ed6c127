"""The dense leg without a vector store: cosines over the catalog's own vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from rag.embed.protocol import Vectors
from rag.index.catalog import rows_of_many
from rag.index.codec import decode_vectors

_BATCH = 8_192
_ALL = """
SELECT vectors.chunk_id, vectors.vector FROM vectors
CROSS JOIN chunks ON chunks.id = vectors.chunk_id
CROSS JOIN documents ON documents.id = chunks.document_id
WHERE vectors.chunk_id > ? AND documents.collection_id = ? AND documents.visible = 1
"""


def nearest(
    connection: sqlite3.Connection,
    collection_id: int,
    query: Vectors,
    limit: int,
    *,
    above: int = 0,
) -> list[tuple[int, float]]:
    """(chunk id, cosine) of the nearest visible chunks, best first, with ids past `above`."""
    cursor = connection.execute(_ALL, (above, collection_id))
    best: list[tuple[float, int]] = []
    while rows := cursor.fetchmany(_BATCH):
        near = _cosines([vector for _, vector in rows], query)
        kept = np.argsort(-near, kind="stable")[:limit]
        best += [(float(near[index]), rows[index][0]) for index in kept]
        best = sorted(best, key=lambda pair: (-pair[0], pair[1]))[:limit]
    return [(chunk, cosine) for cosine, chunk in best]


def cosines(
    connection: sqlite3.Connection, query: Vectors, chunks: Sequence[int]
) -> dict[int, float]:
    """The cosine of each of these chunks."""
    stored = "SELECT chunk_id, vector FROM vectors WHERE chunk_id IN ({some})"
    found: dict[int, float] = {}
    for first in range(0, len(chunks), _BATCH):
        rows = rows_of_many(connection, stored, chunks[first : first + _BATCH])
        near = _cosines([vector for _, vector in rows], query)
        found.update(zip((row for row, _ in rows), map(float, near), strict=True))
    return found


def _cosines(rows: Sequence[bytes], query: Vectors) -> Vectors:
    """A vector stored as float16 is of length 1 no more. Chroma divides by the length; so does
    this, or a score would say which of the two had searched.
    """
    stored = decode_vectors(rows, len(query))
    lengths = np.linalg.norm(stored, axis=1)
    result: Vectors = stored @ query / np.maximum(lengths, np.finfo(np.float32).tiny)
    return result
