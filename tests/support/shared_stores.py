"""Shared stores of the tests: a schema of its own for each, filled with small documents."""

from __future__ import annotations

import itertools
from contextlib import closing

import psycopg
from index_samples import EMBEDDER, document, part

from rag.index.postgres.store import PostgresStore

_SCHEMAS = itertools.count()


def new_store(url: str) -> PostgresStore:
    return PostgresStore(url, f"team_{next(_SCHEMAS)}")


def fill(store, texts: dict[str, str], name: str = "default") -> None:
    with store.open_writer(name, EMBEDDER.identity) as opened:
        for source, text in texts.items():
            opened.put(document(source), [part(source, text)])


def ask(store, query: str, k: int = 5, name: str = "default") -> list[str]:
    with closing(store.open_collection(name, EMBEDDER)) as reader:
        return [chunk["source"] for chunk in reader.search(query, k)]


def assert_sound(store, name: str = "default") -> None:
    """The totals, the chunks, the vectors and the postings are of the same documents."""
    with psycopg.connect(store.url) as db:
        db.execute(f"SET search_path = {store.schema}, public")
        number, *totals = db.execute(
            "SELECT id, documents, chunks, characters, terms FROM collections WHERE name = %s",
            (name,),
        ).fetchone()
        assert (
            tuple(totals[:3])
            == db.execute(
                "SELECT count(*), coalesce(sum(chunk_count), 0), coalesce(sum(characters), 0)"
                " FROM documents WHERE collection_id = %s",
                (number,),
            ).fetchone()
        )
        assert (totals[1], totals[3]) == db.execute(
            "SELECT count(*), coalesce(sum(terms), 0) FROM chunks WHERE collection_id = %s",
            (number,),
        ).fetchone()
        assert db.execute(
            "SELECT count(*) FROM vectors JOIN chunks ON chunks.id = chunk_id"
            " AND chunks.collection_id = vectors.collection_id WHERE vectors.collection_id = %s",
            (number,),
        ).fetchone() == (totals[1],)
        held = db.execute(
            "SELECT term, sum(cardinality(entries))::int FROM postings"
            " WHERE collection_id = %s GROUP BY term",
            (number,),
        ).fetchall()
        counted = db.execute(
            "SELECT term, chunks FROM terms WHERE collection_id = %s AND chunks <> 0", (number,)
        ).fetchall()
        assert dict(held) == dict(counted)
