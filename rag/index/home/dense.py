"""The dense leg of a reader: Chroma where it holds what the catalog holds, else the catalog's own
vectors, all of them by numpy.

A reader never waits: while another process writes Chroma, or when it is gone or damaged, or where
some documents were chosen, cosines are computed from the catalog.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rag.embed.protocol import Vectors
from rag.index.home.chroma import VectorsDamaged
from rag.index.home.vectors import (
    ChromaPlace,
    ChromaRow,
    ChromaVectors,
    note_damage,
    open_vectors,
    read_row,
)
from rag.index.protocol import Notice
from state.errors import StorageError

if TYPE_CHECKING:
    from rag.index.home.queries import HomeQueries

CHROMA = "chroma"
_BATCH = 8_192


class DenseLeg:
    """Nearest chunks of one collection. `searched` says by what the last query was answered."""

    def __init__(self, connection: sqlite3.Connection, place: ChromaPlace, notice: Notice) -> None:
        self._connection = connection
        self._place = place
        self._notice = notice
        self._store: ChromaVectors | None = None
        self._opened: ChromaRow | None = None
        self._why = "not built"
        self.searched = CHROMA

    def prepare(self) -> None:
        """Opens Chroma where it holds this revision; does nothing inside a transaction."""
        if self._connection.in_transaction:
            return
        row = read_row(self._connection, self._place)
        if row is None or not row.current:
            self.close()
            self._opened = None
            self._why = "not built" if row is None else "behind the catalog"
        elif row != self._opened:
            self.close()
            self._opened = row
            try:
                self._store = open_vectors(self._place, row)
            except (VectorsDamaged, StorageError) as error:
                if read_row(self._connection, self._place) == row:
                    self._give_up(error, row)

    def nearest(
        self, queries: HomeQueries, vector: Vectors, limit: int, documents: Sequence[int] | None
    ) -> dict[int, float]:
        """The cosines of the nearest chunks, best first; inside the caller's snapshot. Of these
        `documents`, where they are given.
        """
        if documents is None:
            found = self._from_chroma(vector, limit)
            if found is not None:
                self.searched = CHROMA
                there = queries.still_there(list(found))
                return {row: cosine for row, cosine in found.items() if row in there}
            self.searched = f"catalog (Chroma is {self._why})"
        else:
            self.searched = "catalog (of chosen files)"
        return _scanned(queries.every_vector(documents), vector, limit)

    def _from_chroma(self, vector: Vectors, limit: int) -> dict[int, float] | None:
        row = read_row(self._connection, self._place)
        if self._store is None or row is None or row != self._opened:
            return None
        try:
            return self._store.nearest(vector, limit)
        except VectorsDamaged as error:
            self._give_up(error, row)
            return None

    def _give_up(self, error: Exception, row: ChromaRow) -> None:
        """Until it was written again."""
        self.close()
        folder = self._place.root / row.folder
        if folder.is_dir() and not os.access(folder, os.W_OK):
            self._why = "in a folder that cannot be written"  # it opens none such
            return
        why = " ".join(str(error).split())[:200].rstrip(".")
        self._why = f"damaged: {why}"
        if isinstance(error, VectorsDamaged) and self._place.url is None:
            note_damage(self._place, row)
        self._notice(
            f"Chroma's index cannot be used ({why}); the catalog is searched instead."
            " The next `crag ingest` builds it again."
        )

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = None


def _scanned(cursor: sqlite3.Cursor, query: Vectors, limit: int) -> dict[int, float]:
    best: list[tuple[float, int]] = []
    while rows := cursor.fetchmany(_BATCH):
        near = cosines_of([vector for _, vector in rows], query)
        first = np.argsort(-near, kind="stable")[:limit]
        best += [(-float(near[place]), rows[place][0]) for place in first]
        best = sorted(best)[:limit]
    return {row: -cosine for cosine, row in best}


def cosines_of(rows: Sequence[bytes], query: Vectors) -> Vectors:
    """A vector stored as float16 is of length 1 no more. Chroma divides by the length; so does
    this, or a score would say which of the two had searched.
    """
    halves = np.frombuffer(b"".join(rows), dtype=np.float16)
    stored = halves.reshape(len(rows), len(query)).astype(np.float32)
    lengths = np.linalg.norm(stored, axis=1)
    result: Vectors = stored @ query / np.maximum(lengths, np.finfo(np.float32).tiny)
    return result
