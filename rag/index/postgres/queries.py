"""What a search asks of a shared store by indexes of its own: GIN over `tsvector`, and HNSW.

A chunk's terms are the lexemes of its `tsvector`, with their places; those of its title and
headings have the weight A. GIN tells which chunks hold a term; the most telling are read, and
BM25 is computed of what they hold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rag.index.collection_rows import CollectionRow
from rag.index.queries import Queries
from rag.index.ranking import HEAD_WEIGHT
from state.database import Sql

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Vectors

MOST_READ = 400
"""Chunks whose terms are read and scored, of those that hold the rarest and most of a query's."""
MOST_HOLDING = 20_000
"""Of each term."""

MORE = 20
"""So many more are fetched by their halves, which round the query too, than are compared."""

_K1, _B = 1.2, 0.75  # FTS5's, which are fixed

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
_READ = f"""
SELECT chunk_id, size, lexeme, (cardinality(positions)
  + {HEAD_WEIGHT - 1} * cardinality(array_positions(weights, 'A')))::float8
FROM lexical, unnest(terms) WHERE chunk_id = ANY($1) AND lexeme = ANY($2)
"""


class PostgresQueries(Queries):
    """A `Queries` of a shared store."""

    dense_searched = "pgvector"

    def __init__(self, sql: Sql, row: CollectionRow, files: GitIgnoreSpec | None) -> None:
        counted = f"SELECT term, chunks FROM vocabulary WHERE collection_id = {row.id}"
        super().__init__(sql, row, files, f"{counted} AND chunks > 0")

    def _matching(
        self, searched: Mapping[str, int], limit: int, documents: Sequence[int] | None
    ) -> dict[int, float]:
        held = {term: count for term, count in searched.items() if count}
        if not held:
            return {}
        rarities = {term: _rarity(count, self.chunk_count) for term, count in held.items()}
        chosen = "" if documents is None else " AND document_id = ANY($3)"
        values: list[Any] = [self.row.id, MOST_READ]
        values += [] if documents is None else [list(documents)]
        branches = []
        for term, rarity in rarities.items():
            branches.append(
                f"(SELECT chunk_id, size, {rarity!r}::float8 AS rarity FROM lexical"
                f" WHERE terms @@ ${len(values) + 1}::tsquery AND collection_id = $1{chosen}"
                f" LIMIT {MOST_HOLDING})"
            )
            values.append(_quoted(term))
        found = self._sql.execute(
            f"SELECT chunk_id FROM ({' UNION ALL '.join(branches)}) AS found"
            " GROUP BY chunk_id, size ORDER BY sum(rarity) DESC, size, chunk_id LIMIT $2",
            values,
        ).fetchall()
        rows = self._sql.execute(_READ, ([row for (row,) in found], list(held))).fetchall()
        return dict(_scored(rows, rarities)[:limit])

    def dense(self, vector: Vectors, limit: int) -> dict[int, float]:
        from pgvector import HalfVector, Vector

        query = (_NEAREST if self._chosen is None else _NEAREST_CHOSEN).format(
            collection=self.row.id, dimension=self.row.embedder.dimension
        )
        near: tuple[Any, ...] = (HalfVector(vector), limit + MORE)
        if self._chosen is not None:
            near = (self._chosen,)
        return dict(self._sql.execute(query, (Vector(vector), limit, *near)).fetchall())

    def beside(self, words: tuple[str, str], between: int, document: int) -> bool:
        near = " | ".join(
            f"{_quoted(one)} <{apart}> {_quoted(other)}"
            for one, other in (words, words[::-1])
            for apart in range(1, between + 2)
        )
        query = "SELECT 1 FROM lexical WHERE document_id = $1 AND terms @@ $2::tsquery LIMIT 1"
        return bool(self._sql.execute(query, (document, near)).fetchall())

    def holding(self, term: str, limit: int) -> list[int]:
        rows = self._asked(
            "SELECT chunk_id FROM lexical WHERE collection_id = $1"
            " AND terms @@ $2::tsquery LIMIT $3",
            *(_quoted(term), limit),
        )
        return [row for (row,) in rows]


def _quoted(term: str) -> str:
    """As a tsquery takes it; no term holds a quote or a backslash (`rag.index.terms`)."""
    return f"'{term}'"


def _rarity(held: int, chunks: int) -> float:
    """FTS5's inverse document frequency of a term that so many of the chunks hold."""
    value = math.log((chunks - held + 0.5) / (held + 0.5))
    return value if value > 0 else 1e-6


def _scored(
    rows: Sequence[tuple[int, int, str, float]], rarities: Mapping[str, float]
) -> list[tuple[int, float]]:
    """BM25 of chunks, best first, of how often each holds a term; the mean length is theirs."""
    sizes = {row: size for row, size, _, _ in rows}
    average = max(sum(sizes.values()), 1) / max(len(sizes), 1)
    scores = dict.fromkeys(sizes, 0.0)
    for row, size, term, times in rows:
        drag = _K1 * (1 - _B + _B * size / average)
        scores[row] += rarities[term] * times * (_K1 + 1) / (times + drag)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
