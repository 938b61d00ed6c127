"""The dense leg of a reader: Chroma where it holds what the catalog holds, else the catalog's own
vectors, all of them by numpy.

A reader never waits: while another process writes Chroma, or when it is gone or damaged, or where
some documents were chosen, cosines are computed from the catalog.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence

import numpy as np

from rag.embed.protocol import Vectors
from rag.index.codec import cosines_of, decode_vectors
from rag.index.home.chroma import ChromaVectors, VectorsDamaged
from rag.index.home.vectors import ChromaIndex, ChromaRow
from rag.index.protocol import Notice
from state.errors import StorageError

CHROMA = "chroma"
_BATCH = 8_192


class DenseLeg:
    """Nearest chunks of one collection between two writes. `searched` says by what the last query
    was answered.
    """

    def __init__(
        self, connection: sqlite3.Connection, collection: int, index: ChromaIndex, notice: Notice
    ) -> None:
        self._connection = connection
        self._collection = collection
        self._index = index
        self._notice = notice
        self._store: ChromaVectors | None = None
        self._opened: ChromaRow | None = None
        self._why = "not built"
        self.searched = CHROMA

    def nearest(
        self, vector: Vectors, limit: int, documents: Sequence[int] | None
    ) -> dict[int, float]:
        """The cosines of the nearest chunks, best first; of these `documents`, where they are
        given. Chroma may tell of chunks that are no longer there.
        """
        if documents is not None:
            self.searched = "catalog (of chosen files)"
        else:
            row = self._index.row()
            try:
                if self._is_open(row) and self._store is not None:
                    self.searched = CHROMA
                    return self._store.nearest(vector, limit)
            except (VectorsDamaged, StorageError) as error:
                self._give_up(error, row)
            self.searched = f"catalog (Chroma is {self._why})"
        return self._scanned(vector, limit, documents)

    def _is_open(self, row: ChromaRow | None) -> bool:
        """Whether Chroma could be opened, where it holds this revision."""
        if row is None or not row.current:
            self.close()
            self._why = "not built" if row is None else "behind the catalog"
            return False
        if row != self._opened:
            self.close()
            self._opened = row
            self._store = self._index.open(row)
        return self._store is not None

    def _give_up(self, error: Exception, row: ChromaRow | None) -> None:
        """Until it was written again."""
        self.close()
        if row is None or self._index.row_now() != row:
            self._why = "being written"
            return
        folder = self._index.root / row.folder
        if folder.is_dir() and not os.access(folder, os.W_OK):
            self._why = "in a folder that cannot be written"  # it opens none such
            return
        why = " ".join(str(error).split())[:200].rstrip(".")
        is_damage = isinstance(error, VectorsDamaged)
        self._why = f"{'damaged' if is_damage else 'not to be opened'}: {why}"
        if is_damage and self._index.url is None:
            self._index.note_damage(row)
        self._notice(
            f"Chroma's index cannot be used ({why}); the catalog is searched instead."
            " The next `crag ingest` builds it again."
        )

    def _scanned(
        self, query: Vectors, limit: int, documents: Sequence[int] | None
    ) -> dict[int, float]:
        chosen = " AND documents.id IN (SELECT value FROM json_each($2))"
        values = () if documents is None else (json.dumps(documents),)
        cursor = self._connection.execute(
            "SELECT chunks.id, vector FROM documents CROSS JOIN chunks"
            " ON document_id = documents.id"
            f" WHERE documents.collection_id = $1{chosen if values else ''}",
            (self._collection, *values),
        )
        best: list[tuple[float, int]] = []
        while rows := cursor.fetchmany(_BATCH):
            near = cosines_of(decode_vectors([vector for _, vector in rows], len(query)), query)
            first = np.argsort(-near, kind="stable")[:limit]
            best += [(-float(near[place]), rows[place][0]) for place in first]
            best = sorted(best)[:limit]
        return {row: -cosine for cosine, row in best}

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = None
