"""The dense leg of a reader: Chroma where it holds what the catalog holds, else the catalog's own
vectors, all of them by numpy.

A reader never waits: while another process writes Chroma, or when it is gone or damaged, or where
some documents were chosen, cosines are computed from the catalog.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence

import numpy as np

from rag.embed.protocol import Vectors
from rag.index import chunk_rows
from rag.index.catalog import rows_of_many
from rag.index.chroma import VectorsDamaged
from rag.index.chroma_place import ChromaPlace, ChromaState, note_damage, read_state
from rag.index.chroma_vectors import ChromaVectors, open_vectors
from rag.index.codec import decode_vectors
from rag.index.protocol import Notice
from state.errors import StorageError

CHROMA = "chroma"
_BATCH = 8_192
_EVERY_VECTOR = """
SELECT vectors.chunk_id, vectors.vector FROM documents
CROSS JOIN chunks ON chunks.document_id = documents.id
CROSS JOIN vectors ON vectors.chunk_id = chunks.id WHERE documents.collection_id = ?
"""
_CHOSEN = " AND documents.id IN (SELECT value FROM json_each(?))"


class DenseLeg:
    """Nearest chunks of one collection. `searched` says by what the last query was answered."""

    def __init__(self, place: ChromaPlace, notice: Notice) -> None:
        self._place = place
        self._notice = notice
        self._store: ChromaVectors | None = None
        self._token = ""
        self._why = "not built"
        self.searched = CHROMA

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Opens Chroma where it holds this revision; does nothing inside a transaction."""
        if connection.in_transaction:
            return
        state = read_state(connection, self._place)
        if state is None or not state.current:
            self.close()
            self._token = ""
            self._why = "not built" if state is None else "behind the catalog"
        elif state.token != self._token:
            self.close()
            self._token = state.token
            try:
                self._store = open_vectors(self._place, state)
            except (VectorsDamaged, StorageError) as error:
                if read_state(connection, self._place) == state:
                    self._give_up(error, state)

    def nearest(
        self, connection: sqlite3.Connection, query: Vectors, limit: int, only: str | None = None
    ) -> dict[int, float]:
        """The cosines of the nearest chunks, best first; inside the caller's snapshot. Of the
        documents whose ids are in the JSON list `only`, where it is given.
        """
        if only is None:
            found = self._from_chroma(connection, query, limit)
            if found is not None:
                self.searched = CHROMA
                return found
            self.searched = f"catalog (Chroma is {self._why})"
        else:
            self.searched = "catalog (of chosen files)"
        return _scanned(connection, self._place.collection_id, query, limit, only)

    def _from_chroma(
        self, connection: sqlite3.Connection, query: Vectors, limit: int
    ) -> dict[int, float] | None:
        state = read_state(connection, self._place)
        if self._store is None or state is None or not state.current or state.token != self._token:
            return None
        try:
            found = self._store.nearest(query, limit)
        except VectorsDamaged as error:
            self._give_up(error, state)
            return None
        shown = chunk_rows.still_there(connection, self._place.collection_id, list(found))
        return {row: cosine for row, cosine in found.items() if row in shown}

    def _give_up(self, error: Exception, state: ChromaState) -> None:
        """Until it was written again."""
        self.close()
        folder = self._place.root / state.generation
        if folder.is_dir() and not os.access(folder, os.W_OK):
            self._why = "in a folder that cannot be written"  # it opens none such
            return
        why = " ".join(str(error).split())[:200].rstrip(".")
        self._why = f"damaged: {why}"
        if isinstance(error, VectorsDamaged) and self._place.url is None:
            note_damage(self._place, state)
        self._notice(
            f"Chroma's index cannot be used ({why}); the catalog is searched instead."
            " The next `crag ingest` builds it again."
        )

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = None


def _scanned(
    connection: sqlite3.Connection, collection: int, query: Vectors, limit: int, only: str | None
) -> dict[int, float]:
    values = (collection,) if only is None else (collection, only)
    cursor = connection.execute(_EVERY_VECTOR + (_CHOSEN if only is not None else ""), values)
    best: list[tuple[float, int]] = []
    while rows := cursor.fetchmany(_BATCH):
        near = _cosines([vector for _, vector in rows], query)
        first = np.argsort(-near, kind="stable")[:limit]
        best += [(-float(near[place]), rows[place][0]) for place in first]
        best = sorted(best)[:limit]
    return {row: -cosine for cosine, row in best}


def cosines(
    connection: sqlite3.Connection, query: Vectors, chunks: Sequence[int]
) -> dict[int, float]:
    """The cosine of each of these chunks."""
    stored = "SELECT chunk_id, vector FROM vectors WHERE chunk_id IN ({some})"
    rows = rows_of_many(connection, stored, chunks)
    near = _cosines([vector for _, vector in rows], query)
    return dict(zip((row for row, _ in rows), map(float, near), strict=True))


def _cosines(rows: Sequence[bytes], query: Vectors) -> Vectors:
    """A vector stored as float16 is of length 1 no more. Chroma divides by the length; so does
    this, or a score would say which of the two had searched.
    """
    stored = decode_vectors(rows, len(query))
    lengths = np.linalg.norm(stored, axis=1)
    result: Vectors = stored @ query / np.maximum(lengths, np.finfo(np.float32).tiny)
    return result
