"""Both legs of a search in a shared store: GIN over `tsvector`, and pgvector's HNSW.

A chunk's terms are the lexemes of its `tsvector`, without positions. GIN finds the chunks that hold
one of a query's rarest terms; the more terms a chunk holds, and the rarer they are, the earlier it
comes. BM25 is computed of the candidates alone, as for the catalog.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rag.index.collection_rows import CollectionRow
from rag.index.queries import IndexQueries
from rag.index.ranking import rarity
from state.database import Sql

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Vectors

ENOUGH = 1_000
"""The rarest terms, until so many chunks hold one, find the chunks that are ordered by all."""

MORE = 20
"""So many more are fetched from the index, which rounds to float16, than are compared."""

# The order is that of an index, which holds halves; the cosine is that of the catalog at home.
_NEAREST = """
SELECT id, 1 - (vector::vector <=> $1) AS cosine FROM (
  SELECT id, vector FROM chunks WHERE collection_id = {collection}
  ORDER BY vector::halfvec({dimension}) <=> $3 LIMIT $4
) AS near ORDER BY cosine DESC, id LIMIT $2
"""
# By no index of vectors, which would be asked in vain where few documents are chosen.
_NEAREST_CHOSEN = """
SELECT id, 1 - (vector::vector <=> $1) AS cosine FROM chunks
WHERE collection_id = {collection} AND document_id = ANY($3) ORDER BY cosine DESC, id LIMIT $2
"""


class PostgresQueries(IndexQueries):
    dense_searched = "pgvector"

    def __init__(self, sql: Sql, row: CollectionRow, files: GitIgnoreSpec | None) -> None:
        counted = f"SELECT term, chunks FROM vocabulary WHERE collection_id = {row.id}"
        super().__init__(sql, row, files, f"{counted} AND chunks > 0")

    def _matching(
        self, searched: Mapping[str, int], limit: int, documents: Sequence[int] | None
    ) -> dict[int, float]:
        held = sorted((count, term) for term, count in searched.items() if count)
        if not held:
            return {}
        rare, found = list[str](), 0
        for count, term in held:
            if found < ENOUGH:
                rare.append(_quoted(term))
                found += count
        chosen = "" if documents is None else " AND document_id = ANY($4)"
        values: list[Any] = [self.row.id, limit, " | ".join(rare)]
        values += [] if documents is None else [list(documents)]
        first = len(values) + 1
        rarities = " + ".join(
            f"(terms @@ ${place}::tsquery)::int * {rarity(count, self.chunk_count)!r}::float8"
            for place, (count, _) in enumerate(held, first)
        )
        rows = self._sql.execute(
            f"SELECT chunk_id, {rarities} AS rarity FROM lexical WHERE terms @@ $3::tsquery"
            f" AND collection_id = $1{chosen} ORDER BY rarity DESC, size, chunk_id LIMIT $2",
            [*values, *(_quoted(term) for _, term in held)],
        )
        return dict(rows.fetchall())

    def dense(self, vector: Vectors, limit: int) -> dict[int, float]:
        from pgvector import HalfVector, Vector

        query = (_NEAREST if self._chosen is None else _NEAREST_CHOSEN).format(
            collection=self.row.id, dimension=self.row.embedder.dimension
        )
        near: tuple[Any, ...] = (HalfVector(vector), limit + MORE)
        if self._chosen is not None:
            near = (self._chosen,)
        return dict(self._sql.execute(query, (Vector(vector), limit, *near)).fetchall())

    def cosines(self, vector: Vectors, rows: Sequence[int]) -> dict[int, float]:
        from pgvector import Vector

        query = "SELECT id, 1 - (vector::vector <=> $1) FROM chunks WHERE id = ANY($2)"
        return dict(self._sql.execute(query, (Vector(vector), list(rows))).fetchall())

    def chunks_with_term(self, term: str, limit: int) -> list[int]:
        rows = self._asked(
            "SELECT chunk_id FROM lexical WHERE collection_id = $1"
            " AND terms @@ $2::tsquery LIMIT $3",
            *(_quoted(term), limit),
        )
        return [row for (row,) in rows]


def _quoted(term: str) -> str:
    """As a tsquery takes it; no term holds a quote or a backslash (`rag.index.terms`)."""
    return f"'{term}'"
