"""A shared store: collections in a PostgreSQL with pgvector, asked and written by many machines.

A chunk's terms are the lexemes of its `tsvector`, without positions. GIN finds the chunks that hold
one of a query's rarest terms; the more terms a chunk holds, and the rarer they are, the earlier it
comes. BM25 is computed of the candidates alone, as for the catalog.
"""

from __future__ import annotations

import hashlib
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rag.index import collection_rows
from rag.index.collection_rows import CollectionRow
from rag.index.postgres.database import SharedDatabase
from rag.index.protocol import Notice
from rag.index.queries import IndexQueries
from rag.index.ranking import rarity
from rag.index.store import Store
from rag.index.writer import CollectionWriter, Searchable
from state.postgres import PostgresSql, advisory_lock, require_postgres

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors
    from state.database import Sql

_LOCK_SECONDS = 1.0
"""How long a lock is waited for: until the server sees that a killed process is gone."""
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


class PostgresStore(Store):
    def __init__(self, url: str, schema: str) -> None:
        require_postgres()
        self.url = url
        self.schema = schema
        self.host = socket.gethostname()

    def database(self) -> SharedDatabase:
        return SharedDatabase(self.url, self.schema)

    def _queries(self, sql: Sql, row: CollectionRow, _notice: Notice) -> PostgresQueries:
        return PostgresQueries(sql, row)

    @contextmanager
    def locked(self, name: str, *, create: bool = False) -> Iterator[SharedDatabase]:
        with self.database() as database, database.failures():
            db = database.connected(write=create)
            if db is None:
                raise collection_rows.nothing_ingested()
            label = f"{self.schema}\0{name}".encode("utf-8", "surrogatepass")
            digest = hashlib.blake2b(label, digest_size=8).digest()
            key = int.from_bytes(digest, "big", signed=True)
            with advisory_lock(db, key, _LOCK_SECONDS):
                yield database

    def _writer(
        self, database: SharedDatabase, row: CollectionRow, _notice: Notice
    ) -> PostgresWriter:
        return PostgresWriter(database, row, self.host)

    def delete(self, name: str) -> None:
        """Deletes all in one transaction; readers at work on it finish on their snapshot."""
        with self.locked(name) as database, database.writing() as sql:
            row = collection_rows.require(sql, name)
            sql.execute("DELETE FROM collections WHERE id = $1", (row.id,))
            sql.execute("SELECT forget_index($1)", (row.id,))

    def disk_bytes(self) -> int:
        """What the server keeps for the whole schema."""
        with self.database() as database:
            return database.disk_bytes()


class PostgresWriter(CollectionWriter):
    def __init__(self, database: SharedDatabase, row: CollectionRow, host: str) -> None:
        super().__init__(database, PostgresSql(database.connected()), row, host)
        self._new = 0

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
        for row, document, body, head in chunks:
            terms = [*body.split(), *head.split()]
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

    def finish(self) -> None:
        if self._new >= _SETTLE_CHUNKS:
            self._sql.execute(
                "SELECT set_config('maintenance_work_mem', '1GB', false) WHERE"
                " pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('1GB')"
            )
            many = self.totals()[1] > EXACT_CHUNKS
            self._sql.execute("SELECT settle($1, $2)", (self.row.id, many))


class PostgresQueries(IndexQueries):
    dense_searched = "pgvector"

    def __init__(self, sql: Sql, row: CollectionRow) -> None:
        counted = f"SELECT term, chunks FROM vocabulary WHERE collection_id = {row.id}"
        super().__init__(sql, row, f"{counted} AND chunks > 0")

    def lexical(self, searched: Mapping[str, int], limit: int) -> dict[int, float]:
        held = sorted((count, term) for term, count in searched.items() if count)
        if not held:
            return {}
        rare, found = list[str](), 0
        for count, term in held:
            if found < ENOUGH:
                rare.append(_quoted(term))
                found += count
        rarities = " + ".join(
            f"(terms @@ ${place}::tsquery)::int * {rarity(count, self.chunk_count)!r}::float8"
            for place, (count, _) in enumerate(held, 4)
        )
        rows = self._sql.execute(
            f"SELECT chunk_id, {rarities} AS rarity FROM lexical WHERE terms @@ $3::tsquery"
            f" AND collection_id = $1 ORDER BY rarity DESC, size, chunk_id LIMIT $2",
            [self.row.id, limit, " | ".join(rare), *(_quoted(term) for _, term in held)],
        )
        return dict(rows.fetchall())

    def dense(self, vector: Vectors, limit: int) -> dict[int, float]:
        from pgvector import HalfVector, Vector

        query = _NEAREST.format(collection=self.row.id, dimension=self.row.embedder.dimension)
        values = Vector(vector), limit, HalfVector(vector), limit + MORE
        return dict(self._sql.execute(query, values).fetchall())

    def cosines(self, vector: Vectors, rows: Sequence[int]) -> dict[int, float]:
        from pgvector import Vector

        query = "SELECT id, 1 - (vector::vector <=> $1) FROM chunks WHERE id = ANY($2)"
        return dict(self._sql.execute(query, (Vector(vector), list(rows))).fetchall())


def _quoted(term: str) -> str:
    """As a tsquery takes it; no term holds a quote or a backslash (`rag.index.terms`)."""
    return f"'{term}'"
