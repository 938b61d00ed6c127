"""What a search asks of the catalog by indexes of its own: FTS5, and Chroma or every vector."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rag.index.codec import decode_vector
from rag.index.collection_rows import CollectionRow, rows_of_many
from rag.index.home.dense import DenseLeg, cosines_of
from rag.index.home.texts import Texts
from rag.index.home.vectors import ChromaPlace
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
        place: ChromaPlace,
        files: GitIgnoreSpec | None,
        notice: Notice,
    ) -> None:
        super().__init__(connection, row, files)
        self._dense = DenseLeg(connection, place, notice)
        self._texts = Texts(connection)
        self._table = f"lexical_{row.id}"

    def close(self) -> None:
        self._dense.close()

    @property
    def dense_searched(self) -> str:  # type: ignore[override]
        return self._dense.searched

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        query = f"SELECT term, doc FROM {self._table}_terms WHERE term IN ({{some}})"
        return dict.fromkeys(wanted, 0) | dict(rows_of_many(self._sql, query, list(wanted)))

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

    def cosines(self, vector: Vectors, rows: Sequence[int]) -> dict[int, float]:
        query = "SELECT id, vector FROM chunks WHERE id IN ({some})"
        found = rows_of_many(self._sql, query, rows)
        near = map(float, cosines_of([stored for _, stored in found], vector))
        return dict(zip((row for row, _ in found), near, strict=True))

    def _stored_vectors(self, keys: Sequence[int]) -> Iterable[tuple[int, Vectors]]:
        query = "SELECT key, vector FROM chunks WHERE collection_id = $1 AND key IN ({some})"
        rows = rows_of_many(self._sql, query, keys, self.row.id)
        return ((key, decode_vector(stored)) for key, stored in rows)

    def _chunk_texts(self, rows: Sequence[Sequence[Any]]) -> Mapping[int, str]:
        return {row[0]: self._texts.whole(row[1])[row[-3] : row[-2]] for row in rows}

    def text(self, document: int) -> str:
        return self._texts.whole(document)

    def beside(self, words: tuple[str, str], between: int, document: int) -> bool:
        quoted = " ".join(f'"{word}"' for word in words)
        rows = self._sql.execute(
            f"SELECT 1 FROM {self._table} WHERE {self._table} MATCH ?"
            " AND rowid BETWEEN ? AND ? LIMIT 1",
            (f"NEAR({quoted}, {between})", *self._range(document)),
        ).fetchall()
        return bool(rows)

    def vocabulary(self, first: str, shortest: int, longest: int) -> Iterator[tuple[str, int]]:
        found: Iterator[tuple[str, int]] = self._sql.execute(
            f"SELECT term, doc FROM {self._table}_terms"
            " WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
            (first, first + "\U0010ffff", shortest, longest),
        )
        return found

    def holding(self, term: str, limit: int) -> list[int]:
        rows = self._sql.execute(
            f"SELECT rowid FROM {self._table} WHERE {self._table} MATCH ? LIMIT ?",
            (f'"{term}"', limit),
        )
        return [row for (row,) in rows]
