"""A shared store: collections in a PostgreSQL with pgvector, asked and written by many machines."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from rag.index.collection_store import Store
from rag.index.postgres import shared_collection_rows
from rag.index.postgres.database import Database, collection_lock
from rag.index.postgres.postings import COUNTS, rebuild_terms
from rag.index.postgres.shared_collection import PostgresCollection
from rag.index.postgres.shared_schema import make_tables
from rag.index.postgres.shared_writer import PostgresWriter, prepared
from rag.index.protocol import Notice
from state.closing import closed_on_failure
from state.errors import NoIndexError
from state.postgres import Worded, checked_url, place, value

if TYPE_CHECKING:
    import psycopg
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Embedder, EmbedderIdentity
    from rag.index.kept_grades import KeptGrades


class PostgresStore(Store):
    """The store at `url`, in one schema of its database; `read_url` is a replica for questions."""

    def __init__(self, url: str, schema: str, read_url: str | None = None) -> None:
        self.url = checked_url(url)
        self.schema = schema
        self._read_url = checked_url(read_url or url)

    def open_collection(
        self,
        name: str,
        embedder: Embedder,
        notice: Notice = lambda _line: None,
        *,
        files: GitIgnoreSpec | None = None,
    ) -> PostgresCollection:
        with closed_on_failure(Database(self._read_url, self.schema)) as database:
            return PostgresCollection(database, name, embedder, notice, files)

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
                self._make_threads()
            with collection_lock(db, self.schema, name, wait):
                row = prepared(db, name, embedder, uid, notice)
                with PostgresWriter(db, row, lookup) as writer:
                    yield writer

    def _make_threads(self) -> None:
        """The tables of threads too, by the role that owns the schema: others may not."""
        from state.checkpoints_postgres import PostgresCheckpoints
        from state.threads_postgres import PostgresTurnStore

        with PostgresTurnStore(self.url, schema=self.schema) as turns:
            turns.prepare()
        with PostgresCheckpoints(self.url, self.schema) as checkpoints:
            checkpoints.saver()

    def _files_here(self, name: str) -> tuple[str, ...]:
        """Those that were ingested on this machine."""
        here = (
            " FROM documents JOIN collections ON collections.id = documents.collection_id"
            " JOIN roots ON roots.collection_id = documents.collection_id AND roots.path = root"
            " WHERE collections.name = ? AND roots.host = ? AND documents.path IS NOT NULL"
        )
        return here, name, socket.gethostname()

    @property
    def _host_is_here(self) -> tuple[str, ...]:
        return "host = ?", socket.gethostname()

    def delete(self, name: str) -> None:
        """Its rows all at once; readers at work on it finish on what they saw."""
        with self._writing(name) as db:
            row = shared_collection_rows.require(db, name)
            for table in ("documents", "names", "blocks", "chunks", "terms", "postings"):
                db.execute(f"DELETE FROM {table} WHERE collection_id = %s", (row.id,))
            db.execute("DELETE FROM collections WHERE id = %s", (row.id,))
            db.execute("SELECT drop_vectors(%s)", (row.id,))

    def grades(self) -> KeptGrades:
        """One whose role may only read keeps none."""
        from rag.index.kept_grades import NOW, KeptGrades

        database = Database(self.url, self.schema)
        words = ((NOW, "now()"),)

        @contextmanager
        def reading() -> Iterator[Worded]:
            with database.reading() as db:
                yield Worded(db, words)

        @contextmanager
        def writing() -> Iterator[Worded | None]:
            with database.writing() as db:
                may = value(db, "SELECT has_table_privilege('grades', 'INSERT')")
                yield Worded(db, words) if may else None

        return KeptGrades(reading, writing, database.close)

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
            row = shared_collection_rows.require(db, name)
            (counted,) = db.execute(COUNTS, {"collection": row.id})
        wanted = (row.chunks, row.chunks, row.terms, 0)
        parts = ("chunks", "vectors", "terms in chunks", "terms with other counts than postings")
        return [
            f"{found:,} {part} where {right:,} belong"
            for part, found, right in zip(parts, counted, wanted, strict=True)
            if found != right
        ]

    def rebuild(self, name: str) -> None:
        """Builds the lexical index again from the stored text."""
        with self._writing(name) as db:
            rebuild_terms(db, shared_collection_rows.require(db, name))

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
    def _reading(self) -> Iterator[Worded]:
        with self._snapshot(self._read_url) as db:
            yield Worded(db)

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
