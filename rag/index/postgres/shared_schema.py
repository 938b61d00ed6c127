"""The tables of a shared store.

Everything lies in one schema of the database and has `collection_id` first in its key, so that
rows can be kept apart by row-level security and spread by collection. Chunks and documents are
numbered by collection. The vectors are partitioned by collection: each has its own HNSW index.
The functions run with the rights of the schema's owner: who may ingest need not own it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from state.errors import SetupError
from state.postgres import place, value
from state.schema_version import refuse_other

if TYPE_CHECKING:
    import psycopg

_SETUP_LOCK = 0x63726169

STORE_VERSION = 3

_TABLES = """
CREATE TABLE collections (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  uid text NOT NULL,
  embedder text NOT NULL,
  dimension integer NOT NULL,
  embedder_version text NOT NULL,
  terms_version text NOT NULL,
  revision bigint NOT NULL DEFAULT 0,
  documents integer NOT NULL DEFAULT 0,
  chunks integer NOT NULL DEFAULT 0,
  characters bigint NOT NULL DEFAULT 0,
  terms bigint NOT NULL DEFAULT 0,
  next_document integer NOT NULL DEFAULT 1,
  next_chunk integer NOT NULL DEFAULT 1,
  created timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE roots (
  collection_id integer NOT NULL REFERENCES collections ON DELETE CASCADE,
  path bytea NOT NULL,
  options text NOT NULL,
  host text NOT NULL,
  ingested timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (collection_id, path)
);
CREATE TABLE unread (
  collection_id integer NOT NULL REFERENCES collections ON DELETE CASCADE,
  path bytea NOT NULL,
  size bigint NOT NULL,
  mtime_ns bigint NOT NULL,
  changed_ns bigint NOT NULL,
  reason text NOT NULL,
  failed boolean NOT NULL,
  PRIMARY KEY (collection_id, path)
);
CREATE TABLE documents (
  collection_id integer NOT NULL,
  id integer NOT NULL,
  source bytea NOT NULL,
  path bytea,
  root bytea,
  size bigint NOT NULL,
  mtime_ns bigint NOT NULL,
  changed_ns bigint NOT NULL,
  content_hash text NOT NULL,
  title text,
  format text NOT NULL,
  first_chunk integer NOT NULL,
  chunk_count integer NOT NULL,
  characters bigint NOT NULL,
  warnings text NOT NULL,
  recognized text NOT NULL,
  PRIMARY KEY (collection_id, id),
  UNIQUE (collection_id, source)
);
CREATE TABLE names (
  collection_id integer NOT NULL,
  key text COLLATE "C" NOT NULL,
  document_id integer NOT NULL,
  PRIMARY KEY (collection_id, key, document_id)
);
CREATE INDEX names_document ON names (collection_id, document_id);
CREATE TABLE blocks (
  collection_id integer NOT NULL,
  document_id integer NOT NULL,
  number integer NOT NULL,
  data bytea NOT NULL,
  PRIMARY KEY (collection_id, document_id, number)
);
CREATE TABLE chunks (
  collection_id integer NOT NULL,
  id integer NOT NULL,
  document_id integer NOT NULL,
  segment integer NOT NULL,
  terms integer NOT NULL,
  key bigint NOT NULL,
  text_hash bigint NOT NULL,
  start_char integer NOT NULL,
  end_char integer NOT NULL,
  start_line integer NOT NULL,
  end_line integer NOT NULL,
  page integer,
  heading text NOT NULL,
  text bytea NOT NULL,
  blocks bytea,
  anchor text,
  PRIMARY KEY (collection_id, id)
);
CREATE INDEX chunks_key ON chunks (collection_id, key);
CREATE INDEX chunks_text ON chunks (collection_id, text_hash);
CREATE TABLE terms (
  collection_id integer NOT NULL,
  term text COLLATE "C" NOT NULL,
  chunks integer NOT NULL,
  PRIMARY KEY (collection_id, term)
) WITH (fillfactor = 80);
CREATE TABLE postings (
  collection_id integer NOT NULL,
  segment integer NOT NULL,
  term text COLLATE "C" NOT NULL,
  entries integer[] NOT NULL,
  PRIMARY KEY (collection_id, term, segment)
);
CREATE INDEX postings_segment ON postings (collection_id, segment);
CREATE TABLE vectors (
  collection_id integer NOT NULL,
  chunk_id integer NOT NULL,
  vector halfvec NOT NULL,
  PRIMARY KEY (collection_id, chunk_id)
) PARTITION BY LIST (collection_id);
ALTER TABLE blocks ALTER data SET STORAGE EXTERNAL;
ALTER TABLE postings ALTER entries SET STORAGE EXTERNAL;
ALTER TABLE vectors ALTER vector SET STORAGE PLAIN;
CREATE TABLE grades (
  key bytea PRIMARY KEY,
  grade text NOT NULL,
  used timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX grades_used ON grades (used);
CREATE TABLE traces (
  rowid bigint GENERATED ALWAYS AS IDENTITY,
  id text PRIMARY KEY,
  created_at double precision NOT NULL,
  kind text NOT NULL,
  thread text,
  status text NOT NULL,
  question text NOT NULL,
  body bytea NOT NULL,
  parent text
);
CREATE INDEX traces_by_time ON traces (created_at);

CREATE FUNCTION make_vectors(collection integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  EXECUTE format('CREATE TABLE IF NOT EXISTS vectors_%s PARTITION OF vectors FOR VALUES IN (%s)',
    collection, collection);
  -- Of no policy: whoever was granted every table reads it by way of `vectors` alone.
  EXECUTE format('ALTER TABLE vectors_%s ENABLE ROW LEVEL SECURITY', collection);
END $$;
CREATE FUNCTION drop_vectors(collection integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  IF EXISTS (SELECT FROM collections WHERE id = collection) THEN
    RAISE insufficient_privilege USING MESSAGE = 'the collection is still there';
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS vectors_%s', collection);
END $$;
CREATE FUNCTION settle(collection integer, index_vectors boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$ BEGIN
  IF index_vectors THEN
    EXECUTE format('CREATE INDEX IF NOT EXISTS vectors_%s_near ON vectors_%s USING hnsw'
      ' ((vector::halfvec(%s)) halfvec_cosine_ops)', collection, collection,
      (SELECT dimension FROM collections WHERE id = collection));
  END IF;
  EXECUTE format('ANALYZE documents, names, chunks, terms, postings, vectors_%s', collection);
END $$;
REVOKE ALL ON FUNCTION make_vectors, drop_vectors, settle FROM PUBLIC;
"""


def store_version(db: psycopg.Connection[Any], schema: str) -> int:
    """0 where nothing was ever ingested here, or where this role may not see it."""
    # Of this schema alone: another team's store may lie in one that is searched, too.
    if not value(db, "SELECT to_regclass(%s) IS NOT NULL", f"{schema}.store_version"):
        return 0
    return value(db, "SELECT max(version) FROM store_version") or 0


def check_version(found: int, url: str) -> None:
    """Raises StorageError where another program wrote the store."""
    refuse_other(found, STORE_VERSION, place(url))


def make_tables(db: psycopg.Connection[Any], schema: str, url: str) -> bool:
    """Make the schema and its tables where they are not there; whether anything was done. What
    brings the store of an older release up to date belongs here, too.

    Raises:
        StorageError: another program wrote it.
        SetupError: the database has no pgvector and this role may not create it.
    """
    if found := store_version(db, schema):
        check_version(found, url)
        return False
    # Of the session: a transaction that began before another made the schema might not see it.
    db.execute("SELECT pg_advisory_lock(%s)", (_SETUP_LOCK,))
    try:
        return _make(db, schema, url)
    finally:
        if not db.closed:
            db.execute("SELECT pg_advisory_unlock(%s)", (_SETUP_LOCK,))


def _make(db: psycopg.Connection[Any], schema: str, url: str) -> bool:
    import psycopg
    from psycopg.sql import SQL, Identifier

    with db.transaction():
        if found := store_version(db, schema):
            check_version(found, url)
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
        db.execute(_TABLES)
        db.execute("INSERT INTO store_version VALUES (%s)", (STORE_VERSION,))
    return True
