"""A shared store: collections in a PostgreSQL with pgvector, asked and written by many machines."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from rag.index import collection_rows
from rag.index.postgres.database import Database, collection_lock, know_vectors
from rag.index.postgres.reader import PostgresReader
from rag.index.postgres.schema import make_tables
from rag.index.postgres.writer import PostgresWriter, rebuild_terms, same_terms
from rag.index.protocol import Notice
from rag.index.store import Store
from state.closing import closed_on_failure
from state.errors import NoIndexError
from state.postgres import Marked, checked_url, place, value
from state.team_db import make_team_tables

if TYPE_CHECKING:
    import psycopg
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Embedder, EmbedderIdentity

_COUNTS = """
SELECT (SELECT coalesce(sum(chunk_count), 0) FROM documents WHERE collection_id = :id)::bigint,
  (SELECT count(*) FROM chunks WHERE collection_id = :id),
  (SELECT count(*) FROM lexical WHERE collection_id = :id),
  (SELECT count(*) FROM (SELECT lexeme AS term, count(*) AS held FROM lexical, unnest(terms)
     WHERE collection_id = :id GROUP BY lexeme) AS counted
   FULL JOIN (SELECT term, chunks FROM vocabulary WHERE collection_id = :id) AS known
   USING (term) WHERE coalesce(held, 0) <> coalesce(chunks, 0))
"""


class PostgresStore(Store):
    """The store at `url`, in one schema of its database; `read_url` is a replica for questions."""

    def __init__(self, url: str, schema: str, read_url: str | None = None) -> None:
        self.url = checked_url(url)
        self.schema = schema
        self.host = socket.gethostname()
        self._read_url = checked_url(read_url or url)

    def open_collection(
        self,
        name: str,
        embedder: Embedder,
        notice: Notice = lambda _line: None,
        *,
        files: GitIgnoreSpec | None = None,
    ) -> PostgresReader:
        with closed_on_failure(Database(self._read_url, self.schema)) as database:
            return PostgresReader(database, name, embedder, notice, files)

    @contextmanager
    def open_writer(
        self,
        name: str,
        embedder: EmbedderIdentity,
        *,
        uid: str | None = None,
        wait: float = 0.0,
        notice: Notice = lambda _line: None,
    ) -> Iterator[PostgresWriter]:
        database, lookup = (Database(self.url, self.schema) for _ in range(2))
        with closing(database), closing(lookup), database.failures():
            db = database.connected()
            if make_tables(db, self.schema, self.url):
                make_team_tables(self.url, self.schema)
            know_vectors(db)
            with collection_lock(db, self.schema, name, wait):
                with db.transaction():
                    row = collection_rows.found_or_created(
                        Marked(db), name, embedder, uid, lambda _made: None
                    )
                    if not same_terms(row):
                        notice("The lexical index is of another version; building it again.")
                        rebuild_terms(db, row)
                with PostgresWriter(db, row, lookup, self.host) as writer:
                    yield writer

    def delete(self, name: str) -> None:
        """Its rows all at once; readers at work on it finish on what they saw."""
        with self._writing(name) as db:
            row = collection_rows.require(Marked(db), name)
            db.execute("DELETE FROM collections WHERE id = %s", (row.id,))
            db.execute("SELECT forget_index(%s)", (row.id,))

    def about(self) -> str:
        """What answers there, in words; the replica's answer where there is one.

        Raises:
            RemoteStoreError: it cannot be reached.
        """
        said = []
        for url in dict.fromkeys((self.url, self._read_url)):
            with closing(Database(url, self.schema)) as database, database.failures():
                ((version, vector, replica),) = database.connected().execute(
                    "SELECT current_setting('server_version'), (SELECT extversion FROM"
                    " pg_extension WHERE extname = 'vector'), pg_is_in_recovery()"
                )
            kind = "replica " if replica else ""
            said.append(f"{kind}{place(url)}: PostgreSQL {version}, pgvector {vector or 'missing'}")
        return f"{'; '.join(said)}; schema {self.schema}"

    def differences(self, name: str) -> list[str]:
        """Where the rows of a collection do not agree with each other, in words."""
        with self._snapshot(self.url) as db:
            row = collection_rows.require(Marked(db), name)
            ((wanted, *counted),) = db.execute(_COUNTS.replace(":id", str(row.id)).encode())
        parts = ("chunks", "chunks in the lexical index", "terms counted otherwise than held")
        return [
            f"{found:,} {part} where {right:,} belong"
            for part, found, right in zip(parts, counted, (wanted, wanted, 0), strict=True)
            if found != right
        ]

    def octets(self) -> dict[str, int]:
        """What the server keeps for the whole schema."""
        total = (
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
            " WHERE relnamespace = to_regnamespace(%s) AND relkind = 'r'"
        )
        with suppress(NoIndexError), self._snapshot(self._read_url) as db:
            return {"store": value(db, total, self.schema)}
        return {"store": 0}

    @contextmanager
    def _reading(self) -> Iterator[Marked]:
        with self._snapshot(self._read_url) as db:
            yield Marked(db)

    @contextmanager
    def _snapshot(self, url: str) -> Iterator[psycopg.Connection[Any]]:
        with closing(Database(url, self.schema)) as database, database.reading() as db:
            yield db

    @contextmanager
    def _writing(self, name: str) -> Iterator[psycopg.Connection[Any]]:
        """One transaction of who holds the collection of this name."""
        with closing(Database(self.url, self.schema)) as database, database.failures():
            db = database.connected()
            with collection_lock(db, self.schema, name), db.transaction():
                yield db
