"""The tables of a shared store, in one schema of its database, and what indexes them.

Each collection has an HNSW index of its own. The functions run with
the rights of the schema's owner: who may ingest need not own it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rag.index.tables import POSTGRES_TABLES
from state.errors import SetupError
from state.postgres import place, value

if TYPE_CHECKING:
    import psycopg

_SETUP_LOCK = 0x63726169

STORE_VERSION = 6

_INDEXES = """
CREATE TABLE lexical (
  chunk_id bigint PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
  collection_id bigint NOT NULL,
  document_id bigint NOT NULL,
  size integer NOT NULL,
  terms tsvector NOT NULL
) WITH (toast_tuple_target = 128);
CREATE INDEX lexical_document ON lexical (document_id);
CREATE INDEX lexical_terms ON lexical USING gin (terms);
CREATE TABLE vocabulary (
  collection_id bigint NOT NULL REFERENCES collections ON DELETE CASCADE,
  term text COLLATE "C" NOT NULL,
  chunks integer NOT NULL,
  PRIMARY KEY (collection_id, term)
) WITH (fillfactor = 80);
ALTER TABLE texts ALTER text SET STORAGE EXTERNAL;

CREATE FUNCTION settle(collection bigint, index_vectors boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  IF index_vectors THEN
    EXECUTE format('CREATE INDEX IF NOT EXISTS chunks_near_%s ON chunks USING hnsw'
      ' ((vector::halfvec(%s)) halfvec_cosine_ops) WHERE collection_id = %s', collection,
      (SELECT dimension FROM collections WHERE id = collection), collection);
  END IF;
  PERFORM gin_clean_pending_list('lexical_terms'::regclass);
  ANALYZE documents, names, chunks, lexical, vocabulary;
END $$;
CREATE FUNCTION forget_index(collection bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  IF EXISTS (SELECT FROM collections WHERE id = collection) THEN
    RAISE insufficient_privilege USING MESSAGE = 'the collection is still there';
  END IF;
  EXECUTE format('DROP INDEX IF EXISTS chunks_near_%s', collection);
END $$;
REVOKE ALL ON FUNCTION settle, forget_index FROM PUBLIC;
"""


def store_version(db: psycopg.Connection[Any], schema: str) -> int:
    """0 where nothing was ever ingested here, or where this role may not see it."""
    # Of this schema alone: another team's store may lie in one that is searched, too.
    if not value(db, "SELECT to_regclass(%s) IS NOT NULL", f"{schema}.store_version"):
        return 0
    return value(db, "SELECT max(version) FROM store_version") or 0


def make_tables(db: psycopg.Connection[Any], schema: str, url: str) -> bool:
    """Make the schema and its tables where they are not there; whether anything was done. What
    brings the store of an older release up to date belongs here, too.

    Raises:
        SetupError: the database has no pgvector and this role may not create it.
    """
    if store_version(db, schema):
        return False
    # Of the session: a transaction that began before another made the schema might not see it.
    db.execute("SELECT pg_advisory_lock(%s)", (_SETUP_LOCK,))
    try:
        with db.transaction():
            return _make(db, schema, url)
    finally:
        if not db.closed:
            db.execute("SELECT pg_advisory_unlock(%s)", (_SETUP_LOCK,))


def _make(db: psycopg.Connection[Any], schema: str, url: str) -> bool:
    import psycopg
    from psycopg.sql import SQL, Identifier

    if store_version(db, schema):
        return False
    try:
        db.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(schema)))
        db.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        db.execute("CREATE TABLE store_version (version integer NOT NULL)")
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported) as error:
        raise SetupError(
            f"{place(url)} cannot be made a store: {error.diag.message_primary}.",
            f"Its administrator can: CREATE EXTENSION vector; CREATE SCHEMA {schema}"
            " AUTHORIZATION this role.",
        ) from None
    db.execute((POSTGRES_TABLES + _INDEXES).encode())
    db.execute("INSERT INTO store_version VALUES (%s)", (STORE_VERSION,))
    return True
