"""A shared store's tables, in one schema of its database, and what indexes them.

Each collection has an HNSW index of its own. The functions run with the rights of the schema's
owner, so that others may ingest, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rag.index.tables import POSTGRES_TABLES
from state.errors import SetupError
from state.postgres import PostgresDatabase, server_address

if TYPE_CHECKING:
    import psycopg

_SESSION = """
SET jit = off;
SET hnsw.ef_search = 200;
SET tcp_keepalives_idle = 30;
SET tcp_keepalives_interval = 10;
SET tcp_keepalives_count = 3
"""
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
  ANALYZE documents, chunks, lexical, vocabulary;
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


class SharedDatabase(PostgresDatabase):
    schema: str
    versions = "store_version"
    version = 13
    sizes = (
        "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
        " WHERE relnamespace = current_schema()::text::regnamespace AND relkind = 'r'"
    )

    def _prepared(self, db: psycopg.Connection[Any], *, write: bool) -> bool:
        from pgvector.psycopg import register_vector

        db.execute(_SESSION)
        ready = super()._prepared(db, write=write)
        if ready:
            register_vector(db)
        return ready

    def _create_tables(self, db: psycopg.Connection[Any]) -> None:
        """Raises SetupError: the database has no pgvector and this role may not create it."""
        import psycopg
        from psycopg.sql import SQL, Identifier

        try:
            db.execute(SQL("CREATE SCHEMA IF NOT EXISTS {}").format(Identifier(self.schema)))
            db.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
            db.execute((POSTGRES_TABLES + _INDEXES).encode())
        except (psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported) as error:
            raise SetupError(
                f"{server_address(self.url)} cannot be made a store: {error.diag.message_primary}.",
                f"Its administrator can: CREATE EXTENSION vector; CREATE SCHEMA {self.schema}"
                " AUTHORIZATION this role.",
            ) from None
