"""Shared stores of the tests: a schema of its own for each, filled with small documents."""

import itertools
from contextlib import closing

import psycopg
from index_samples import entry, ill_parts
from sqlite_files import run_sql

from rag.index.home.store import HomeStore
from rag.index.postgres.store import PostgresStore

_SCHEMAS = itertools.count()
_COUNTS = """
WITH own AS (SELECT id FROM collections WHERE name = %(name)s)
SELECT (SELECT coalesce(sum(chunk_count), 0) FROM documents WHERE collection_id IN (TABLE own)),
  (SELECT count(*) FROM chunks WHERE collection_id IN (TABLE own)),
  (SELECT count(*) FROM lexical WHERE collection_id IN (TABLE own)),
  (SELECT count(*) FROM (SELECT lexeme AS term, count(*) AS held FROM lexical, unnest(terms)
     WHERE collection_id IN (TABLE own) GROUP BY lexeme) AS counted
   FULL JOIN (SELECT term, chunks FROM vocabulary WHERE collection_id IN (TABLE own)) AS known
   USING (term) WHERE coalesce(held, 0) <> coalesce(chunks, 0))
"""
_HALF = """
SELECT source FROM documents
WHERE chunk_count <> (SELECT count(*) FROM chunks WHERE document_id = documents.id)
"""


def new_store(url: str) -> PostgresStore:
    return PostgresStore(url, f"team_{next(_SCHEMAS)}")


def fill(store, texts: dict[str, str], name: str = "default") -> None:
    with store.open_writer(name) as opened:
        opened.put_all([entry(source, text) for source, text in texts.items()])


def ask(store, query: str, k: int = 5, name: str = "default") -> list[str]:
    with closing(store.open_collection(name)) as reader:
        return [chunk["source"] for chunk in reader.search(query, k)]


def assert_sound(store, name: str = "default") -> None:
    """The documents, the chunks, their terms and the counts of these belong together."""
    if isinstance(store, HomeStore):
        with store.database() as catalog:
            assert (catalog.integrity_errors(), ill_parts(catalog.path.parent)) == ([], [])
            assert run_sql(catalog.path, _HALF) == []
        return
    with psycopg.connect(store.url) as db:
        db.execute(f"SET search_path = {store.schema}, public")
        counted = db.execute(_COUNTS, {"name": name}).fetchone()
        assert counted[0] == counted[1] == counted[2]
        assert counted[3] == 0, "terms counted otherwise than held"
        for table in ("texts", "chunks", "lexical"):
            (left,) = db.execute(
                f"SELECT count(*) FROM {store.schema}.{table} AS part WHERE NOT EXISTS (SELECT FROM"
                f" {store.schema}.documents WHERE id = part.document_id"
                " AND collection_id = part.collection_id)"
            ).fetchone()
            assert left == 0, table
