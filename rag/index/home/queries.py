"""Both legs of a search in a home: FTS5, and Chroma where it is up to date with the catalog, else
the catalog's own vectors, all of which numpy compares.

A reader never waits: while another process writes Chroma, or when it is gone or damaged, cosines
are computed from the catalog.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING

from rag.index.codec import cosines_of, decode_vectors
from rag.index.collection_rows import CollectionRow, rows_of_many
from rag.index.home.chroma import ChromaVectors, VectorsDamaged
from rag.index.home.vectors import ChromaIndex, ChromaRow
from rag.index.protocol import Notice
from rag.index.queries import IndexQueries
from rag.index.ranking import HEAD_WEIGHT

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors

CHROMA = "chroma"
_BATCH = 8_192


class HomeQueries(IndexQueries):
    def __init__(
        self,
        connection: sqlite3.Connection,
        row: CollectionRow,
        index: ChromaIndex,
        notice: Notice,
    ) -> None:
        self._table = f"lexical_{row.id}"
        vocabulary = f"SELECT term, doc AS chunks FROM {self._table}_terms"
        super().__init__(connection, row, vocabulary)
        self._index = index
        self._notice = notice
        self._store: ChromaVectors | None = None
        self._opened: ChromaRow | None = None
        self._why = "not built"
        self.dense_searched = CHROMA

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = None

    def lexical(self, searched: Mapping[str, int], limit: int) -> dict[int, float]:
        if not searched:
            return {}
        # Quoted, a term is a term: no text of a query is ever FTS5 syntax.
        any_of = " OR ".join(f'"{term}"' for term in searched)
        rows = self._sql.execute(
            f"SELECT rowid, bm25({self._table}, 1.0, {HEAD_WEIGHT}) AS score FROM {self._table}"
            f" WHERE {self._table} MATCH ? ORDER BY score LIMIT ?",
            (any_of, limit),
        )
        return {row: -score for row, score in rows}

    def dense(self, vector: Vectors, limit: int) -> dict[int, float]:
        if (found := self._nearest(vector, limit)) is not None:
            self.dense_searched = CHROMA
            return found
        self.dense_searched = f"catalog (Chroma is {self._why})"
        return self._scan(vector, limit)

    def cosines(self, vector: Vectors, rows: Sequence[int]) -> dict[int, float]:
        query = "SELECT id, vector FROM chunks WHERE id IN ({some})"
        return _compared(rows_of_many(self._sql, query, rows), vector)

    def _nearest(self, vector: Vectors, limit: int) -> dict[int, float] | None:
        """What Chroma finds; None where it cannot be asked, and `_why` tells the reason."""
        row = self._index.row()
        if row is None or not row.current:
            self.close()
            self._why = "not built" if row is None else "behind the catalog"
            return None
        try:
            if row != self._opened:
                self.close()
                self._opened = row
                self._store = self._index.open(row)
            return None if self._store is None else self._store.nearest(vector, limit)
        except VectorsDamaged as error:
            self._give_up(error, row)
            return None

    def _give_up(self, error: VectorsDamaged, row: ChromaRow) -> None:
        """Notes why Chroma is not asked any more, until it is written again."""
        self.close()
        folder = self._index.root / row.folder
        if os.access(folder, os.F_OK) and not os.access(folder, os.W_OK):
            self._why = "in a folder that cannot be written"  # it opens none such
        elif self._index.url is None and not self._index.mark_damaged(row):
            self._why = "being written"
        else:
            why = " ".join(str(error).split())[:200].rstrip(".")
            self._why = f"damaged: {why}"
            self._notice(
                f"Chroma's index cannot be used ({why}); the catalog is searched instead."
                " The next `crag ingest` builds it again."
            )

    def _scan(self, query: Vectors, limit: int) -> dict[int, float]:
        """The nearest by the catalog's own vectors."""
        cursor = self._sql.execute(
            "SELECT chunks.id, vector FROM documents CROSS JOIN chunks"
            " ON document_id = documents.id WHERE documents.collection_id = $1",
            (self.row.id,),
        )
        found: dict[int, float] = {}
        while rows := cursor.fetchmany(_BATCH):
            found |= _compared(rows, query)
        return dict(nlargest(limit, found.items(), key=lambda item: item[1]))


def _compared(rows: Sequence[tuple[int, bytes]], query: Vectors) -> dict[int, float]:
    """The cosines of chunks, given with their stored vectors, by row."""
    near = cosines_of(decode_vectors([stored for _, stored in rows], len(query)), query)
    return dict(zip((row for row, _ in rows), near.tolist(), strict=True))
