"""The catalog's tables: one SQLite file per CRAG_HOME holds every collection.

Each collection has its own FTS5 table `lexical_<id>` of exactly the terms of `rag.index.terms`. Its
content is the view `searchable_<id>`, made of the documents' texts: nothing is kept twice, and FTS5
itself reads what it takes out.
"""

from __future__ import annotations

import sqlite3

from rag.index.terms import PUNCTUATION

SCHEMA_VERSION = 15

_TABLES = """
CREATE TABLE collections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  uid TEXT NOT NULL,
  embedder TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  embedder_version TEXT NOT NULL,
  terms_version TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE roots (
  collection_id INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
  path BLOB NOT NULL,
  options TEXT NOT NULL,
  host TEXT NOT NULL,
  PRIMARY KEY (collection_id, path)
) WITHOUT ROWID;
CREATE TABLE unread (
  collection_id INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
  path BLOB NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  reason TEXT NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (collection_id, path)
) WITHOUT ROWID;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection_id INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
  source BLOB NOT NULL,
  path BLOB,
  root BLOB,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  title TEXT,
  format TEXT NOT NULL,
  chunk_count INTEGER NOT NULL,
  characters INTEGER NOT NULL,
  warnings TEXT NOT NULL,
  recognized TEXT NOT NULL
);
CREATE UNIQUE INDEX documents_source ON documents (collection_id, source);
CREATE TABLE texts (
  -- Deflated. Apart from `documents`, which are walked whole.
  document_id INTEGER PRIMARY KEY REFERENCES documents ON DELETE CASCADE,
  collection_id INTEGER NOT NULL,
  text BLOB NOT NULL
);
CREATE TABLE names (
  collection_id INTEGER NOT NULL,
  key TEXT NOT NULL,
  document_id INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  PRIMARY KEY (collection_id, key, document_id)
) WITHOUT ROWID;
CREATE INDEX names_document ON names (document_id);
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection_id INTEGER NOT NULL,
  document_id INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  key INTEGER NOT NULL,
  text_hash INTEGER NOT NULL,
  start_char INTEGER NOT NULL,
  end_char INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  page INTEGER,
  heading TEXT NOT NULL,
  anchor TEXT,
  blocks BLOB,
  vector BLOB NOT NULL
);
CREATE INDEX chunks_document ON chunks (document_id);
CREATE INDEX chunks_key ON chunks (key);
CREATE INDEX chunks_text ON chunks (text_hash);
CREATE TABLE chroma (
  collection_id INTEGER PRIMARY KEY REFERENCES collections ON DELETE CASCADE,
  folder TEXT NOT NULL,
  revision INTEGER,  -- of the collection, that Chroma holds; NULL while it is being written
  files TEXT NOT NULL,
  server TEXT
);
"""


def create(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def create_lexical(connection: sqlite3.Connection, collection_id: int) -> None:
    """The lexical index of a collection, of what there is already, with its vocabulary. The
    functions are `rag.index.home.texts`'s.
    """
    table, content = f"lexical_{collection_id}", f"searchable_{collection_id}"
    connection.execute(
        f"CREATE VIEW {content} AS SELECT chunks.id AS id, head_terms(title, heading) AS head,"
        " chunk_terms(document_id, start_char, end_char) AS body"
        " FROM documents CROSS JOIN chunks ON document_id = documents.id"
        f" WHERE documents.collection_id = {collection_id}"
    )
    connection.execute(
        f"CREATE VIRTUAL TABLE {table} USING fts5(body, head, content='{content}',"
        f" content_rowid='id', tokenize=\"ascii tokenchars '{PUNCTUATION}'\")"
    )
    connection.execute(f"CREATE VIRTUAL TABLE {table}_terms USING fts5vocab({table}, 'row')")
    connection.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")


def drop_lexical(connection: sqlite3.Connection, collection_id: int) -> None:
    """Also one that is damaged: FTS5 opens a table to drop it, as far as to these rows."""
    table = f"lexical_{collection_id}"
    connection.execute("CREATE VIRTUAL TABLE temp.empty USING fts5(body, content='')")
    for part in ("config", "data"):
        connection.execute(f"INSERT OR REPLACE INTO {table}_{part} SELECT * FROM temp.empty_{part}")
    for dropped in ("TABLE temp.empty", f"TABLE {table}_terms", f"TABLE {table}"):
        connection.execute(f"DROP {dropped}")
    connection.execute(f"DROP VIEW searchable_{collection_id}")


def check_lexical(connection: sqlite3.Connection, collection_id: int) -> None:
    """FTS5's own check, of its structure and against the texts; raises sqlite3.DatabaseError where
    it is broken.
    """
    table = f"lexical_{collection_id}"
    connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
