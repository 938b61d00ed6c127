"""The catalog's tables.

One SQLite file per CRAG_HOME holds every collection. Text is kept in compressed blocks, a chunk as
offsets into them. Each collection has its own FTS5 table `lexical_<id>` (see `lexical.py`).
"""

from __future__ import annotations

import sqlite3

from state.schema_version import write_version

SCHEMA_VERSION = 14

_TABLES = """
CREATE TABLE collections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  uid TEXT NOT NULL,
  embedder TEXT NOT NULL,
  dimension INTEGER NOT NULL,
  embedder_version TEXT NOT NULL,
  terms_version TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 0,
  created REAL NOT NULL
);
CREATE TABLE roots (
  collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
  path BLOB NOT NULL,
  options TEXT NOT NULL,
  ingested REAL NOT NULL,
  PRIMARY KEY (collection_id, path)
) WITHOUT ROWID;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
  source BLOB NOT NULL,
  path BLOB,
  root BLOB,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  title TEXT,
  format TEXT NOT NULL,
  chunk_count INTEGER NOT NULL DEFAULT 0,
  characters INTEGER NOT NULL DEFAULT 0,
  warnings TEXT NOT NULL DEFAULT '[]',
  recognized TEXT NOT NULL DEFAULT '[]'
);
CREATE UNIQUE INDEX documents_source ON documents (collection_id, source);
CREATE TABLE names (
  key TEXT NOT NULL,
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  PRIMARY KEY (key, document_id)
) WITHOUT ROWID;
CREATE INDEX names_document ON names (document_id);
CREATE TABLE unread (
  collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
  path BLOB NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  reason TEXT NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (collection_id, path)
) WITHOUT ROWID;
CREATE TABLE blocks (
  -- document_id << 20 | the block's number: a key of its own column would waste half a page.
  id INTEGER PRIMARY KEY,
  data BLOB NOT NULL
);
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  key INTEGER NOT NULL,
  start_char INTEGER NOT NULL,
  end_char INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  page INTEGER,
  heading TEXT NOT NULL,
  blocks BLOB,
  anchor TEXT
);
CREATE INDEX chunks_document ON chunks (document_id);
CREATE INDEX chunks_key ON chunks (key);
CREATE TABLE vectors (
  chunk_id INTEGER PRIMARY KEY REFERENCES chunks(id) ON DELETE CASCADE,
  text_hash INTEGER NOT NULL,
  vector BLOB NOT NULL
);
CREATE INDEX vectors_hash ON vectors (text_hash);
CREATE TABLE chroma (
  collection_id INTEGER PRIMARY KEY REFERENCES collections(id) ON DELETE CASCADE,
  generation TEXT NOT NULL,
  token TEXT NOT NULL,
  revision INTEGER,  -- NULL while it is being written
  last_chunk INTEGER NOT NULL,
  files TEXT NOT NULL,
  server TEXT
);
CREATE TABLE chroma_removals (
  collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
  chunk_id INTEGER NOT NULL,
  PRIMARY KEY (collection_id, chunk_id)
) WITHOUT ROWID;
CREATE TABLE grades (
  key BLOB PRIMARY KEY,
  grade TEXT NOT NULL,
  used REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX grades_used ON grades (used);
"""


def create(connection: sqlite3.Connection) -> None:
    for statement in _TABLES.split(";"):
        if statement.strip():
            connection.execute(statement)
    write_version(connection, SCHEMA_VERSION)
