"""What a search asks of the catalog by indexes of its own: FTS5, and Chroma or every vector."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rag.index.collection_rows import CollectionRow
from rag.index.home.dense import DenseLeg
from rag.index.home.vectors import ChromaIndex
from rag.index.protocol import Notice
from rag.index.queries import Queries
from rag.index.ranking import HEAD_WEIGHT

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Vectors

_OF_THESE = "SELECT id FROM chunks WHERE document_id IN (SELECT value FROM json_each(?))"


class HomeQueries(Queries):
    """A `Queries` of the catalog."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        row: CollectionRow,
        index: ChromaIndex,
        files: GitIgnoreSpec | None,
        notice: Notice,
    ) -> None:
        self._table = f"lexical_{row.id}"
        vocabulary = f"SELECT term, doc AS chunks FROM {self._table}_terms"
        super().__init__(connection, row, files, vocabulary)
        self._dense = DenseLeg(connection, row.id, index, notice)

    def close(self) -> None:
        self._dense.close()

    @property
    def dense_searched(self) -> str:  # type: ignore[override]
        return self._dense.searched

    def _matching(
        self, searched: Mapping[str, int], limit: int, documents: Sequence[int] | None
    ) -> dict[int, float]:
        if not searched:
            return {}
        # Quoted, a term is a term: no text of a query is ever FTS5 syntax.
        values: list[Any] = [" OR ".join(f'"{term}"' for term in searched)]
        where = ""
        if documents is not None and len(documents) == 1:
            where = " AND rowid BETWEEN ? AND ?"
            values += self._range(documents[0])
        elif documents is not None:
            # `+`: a condition only. As an index FTS5 would be asked for each row by itself.
            where = f" AND +rowid IN ({_OF_THESE})"
            values.append(json.dumps(documents))
        rows = self._sql.execute(
            f"SELECT rowid, bm25({self._table}, 1.0, {HEAD_WEIGHT}) AS score FROM {self._table}"
            f" WHERE {self._table} MATCH ?{where} ORDER BY score LIMIT ?",
            (*values, limit),
        ).fetchall()
        there = self.still_there([row for row, _ in rows])
        return {row: -score for row, score in rows if row in there}

    def _range(self, document: int) -> tuple[int, int]:
        """The first and last row of a document's chunks; 0 where it has none."""
        ((first, last),) = self._sql.execute(
            "SELECT min(id), max(id) FROM chunks WHERE document_id = ?", (document,)
        ).fetchall()
        return first or 0, last or 0

    def dense(self, vector: Vectors, limit: int) -> dict[int, float]:
        found = self._dense.nearest(vector, limit, self._chosen)
        there = self.still_there(list(found))
        return {row: cosine for row, cosine in found.items() if row in there}

    def beside(self, words: tuple[str, str], between: int, document: int) -> bool:
        quoted = " ".join(f'"{word}"' for word in words)
        rows = self._sql.execute(
            f"SELECT 1 FROM {self._table} WHERE {self._table} MATCH ?"
            " AND rowid BETWEEN ? AND ? LIMIT 1",
            (f"NEAR({quoted}, {between})", *self._range(document)),
        ).fetchall()
        return bool(rows)

    def holding(self, term: str, limit: int) -> list[int]:
        rows = self._sql.execute(
            f"SELECT rowid FROM {self._table} WHERE {self._table} MATCH ? LIMIT ?",
            (f'"{term}"', limit),
        )
        return [row for (row,) in rows]
