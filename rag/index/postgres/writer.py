"""Writing a collection of a shared store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from rag.embed.protocol import Vectors
from rag.index.collection_rows import CollectionRow
from rag.index.postgres.database import SharedDatabase
from rag.index.terms import indexed_head, indexed_text
from rag.index.writer import CollectionWriter, Searchable
from state.postgres import PostgresSql

if TYPE_CHECKING:
    import psycopg

EXACT_CHUNKS = 20_000
"""Up to so many vectors are compared one by one; more get an HNSW index."""

_SETTLE_CHUNKS = 500
"""The engine's statistics are made again after so many were written."""

_COUNT = """
INSERT INTO vocabulary (collection_id, term, chunks)
SELECT $1, * FROM unnest($2::text[], $3::int[])
ON CONFLICT (collection_id, term) DO UPDATE SET chunks = vocabulary.chunks + excluded.chunks
"""
_UNCOUNT = """
UPDATE vocabulary SET chunks = chunks - gone
FROM (SELECT lexeme, count(*) AS gone FROM lexical, unnest(terms)
  WHERE document_id = ANY($1) GROUP BY lexeme) AS counted
WHERE collection_id = $2 AND term = lexeme
"""


class PostgresWriter(CollectionWriter):
    def __init__(self, database: SharedDatabase, row: CollectionRow, host: str) -> None:
        db: psycopg.Connection[Any] = database.connected()
        super().__init__(PostgresSql(db), row, host)
        self._db = db
        self._new = 0

    def _transaction(self) -> AbstractContextManager[Any]:
        return self._db.transaction()

    def _new_rows(self, table: str, count: int) -> list[int]:
        query = f"SELECT nextval('{table}_id_seq') FROM generate_series(1, $1::int)"
        return [row for (row,) in self._sql.execute(query, (count,)).fetchall()]

    def _encoded(self, vectors: Vectors) -> list[Any]:
        from pgvector import HalfVector

        return list(map(HalfVector, vectors))

    def _index(self, chunks: Sequence[Searchable]) -> None:
        self._new += len(chunks)
        held: Counter[str] = Counter()
        rows = []
        for row, document, text, title, heading in chunks:
            terms = [*indexed_text(text).split(), *indexed_head(title, heading).split()]
            held.update(distinct := set(terms))
            rows.append((row, self.row.id, document, len(terms), list(distinct)))
        self._sql.executemany(
            "INSERT INTO lexical (chunk_id, collection_id, document_id, size, terms)"
            " VALUES ($1, $2, $3, $4, array_to_tsvector($5::text[]))",
            rows,
        )
        self._sql.execute(_COUNT, (self.row.id, list(held), list(held.values())))

    def _unindex(self, documents: Sequence[int]) -> None:
        self._sql.execute(_UNCOUNT, (list(documents), self.row.id))

    def close(self, *, interrupted: bool) -> None:
        if not interrupted and self._new >= _SETTLE_CHUNKS:
            self._db.execute(
                "SELECT set_config('maintenance_work_mem', '1GB', false) WHERE"
                " pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('1GB')"
            )
            many = self.totals()[1] > EXACT_CHUNKS
            self._sql.execute("SELECT settle($1, $2)", (self.row.id, many))
