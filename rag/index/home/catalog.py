"""The catalog: one SQLite file per CRAG_HOME holds every collection.

Each collection has its own FTS5 table `lexical_<id>` of exactly the terms of `rag.index.terms`. Its
content is the view `searchable_<id>` of the documents' texts: nothing is stored twice, and FTS5
reads there itself what it deletes.
"""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from rag.index.queries import Texts
from rag.index.terms import PUNCTUATION, indexed_head, indexed_text
from state.errors import DamagedError, StorageError
from state.sqlite_file import SqliteFile

FILE_NAME = "catalog.sqlite"
SCHEMA_VERSION = 23
_CHROMA = """
CREATE TABLE chroma (
  collection_id INTEGER PRIMARY KEY REFERENCES collections ON DELETE CASCADE,
  folder TEXT NOT NULL,
  revision INTEGER,  -- of the collection, that Chroma holds; NULL while it is being written
  files TEXT NOT NULL,
  server TEXT
)
"""


class Catalog(SqliteFile):
    """The catalog of a home, which can be read where it cannot be written."""

    version = SCHEMA_VERSION
    on_connect = (
        "PRAGMA busy_timeout = 30000; PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL"
    )
    # Pages of removed documents go back to the disk; settable on an empty file only.
    on_create = "PRAGMA auto_vacuum = INCREMENTAL"
    damaged = "Move it away, then run `crag ingest` again."

    def __init__(self, home: Path) -> None:
        super().__init__(home / FILE_NAME, "catalog")

    def _create_tables(self, db: sqlite3.Connection) -> None:
        if db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            raise StorageError(f"{self.path} is not a catalog of crag.", "Choose another --home.")
        from rag.index.tables import SQLITE_TABLES

        for statement in (*SQLITE_TABLES.split(";\n"), _CHROMA):
            db.execute(statement)
        # The vectors of a catalog that was moved away: nothing refers to them any more.
        for folder in (self.path.parent / "vectors").glob("[0-9a-f]" * 32):
            shutil.rmtree(folder, ignore_errors=True)


def let_index(connection: sqlite3.Connection) -> None:
    """Gives a connection the functions that the views `searchable_<id>` call."""
    texts = Texts(connection)

    def chunk_terms(document: int, start: int, end: int) -> str:
        try:
            return indexed_text(texts.whole(document)[start:end])
        except DamagedError:
            return ""

    connection.create_function("chunk_terms", 3, chunk_terms)
    connection.create_function("head_terms", 2, indexed_head)


def create_lexical(connection: sqlite3.Connection, collection_id: int) -> None:
    """Creates a collection's lexical index with its vocabulary, and fills it."""
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


def check_lexical(connection: sqlite3.Connection, collection_id: int) -> None:
    """FTS5's own check, of its structure and against the texts; raises sqlite3.DatabaseError where
    it is broken.
    """
    table = f"lexical_{collection_id}"
    connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")


def drop_lexical(connection: sqlite3.Connection, collection_id: int) -> None:
    for dropped in ("TABLE lexical_{}_terms", "TABLE lexical_{}", "VIEW searchable_{}"):
        connection.execute(f"DROP {dropped.format(collection_id)}")
