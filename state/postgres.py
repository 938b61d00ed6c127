"""A Postgres connection that answers within seconds or fails as RemoteStoreError."""

from __future__ import annotations

import os
import re
import time
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from socket import gethostname
from typing import TYPE_CHECKING, Any

from state.database import Database
from state.errors import RemoteStoreError, StoreBusyError, UsageError, refuse_other
from state.extras import require_extra
from state.home_db import TABLES

if TYPE_CHECKING:
    import psycopg
    from langgraph.checkpoint.postgres import PostgresSaver

LOCK_SECONDS = 10
_POLL_SECONDS = 0.1
_TABLES_LOCK = 0x63726167
_CHECKPOINTS_LOCK = 0x63726168
_HOLDER = """
select application_name, backend_start::timestamptz(0)::text
from pg_locks join pg_stat_activity using (pid)
where locktype = 'advisory' and granted and objsubid = 1
and (classid::bigint << 32 | objid::bigint) = %s
"""


def require_postgres() -> None:
    """Raises SetupError if the packages that speak to Postgres are not installed."""
    for package in ("psycopg", "pgvector", "langgraph.checkpoint.postgres"):
        require_extra(package, "postgres", "Postgres")


def server_address(url: str) -> str:
    """Host, port and database, without user or password, as errors may show them."""
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        raise UsageError("This is not a usable Postgres URL.") from None
    host = parts.get("host") or "the local socket"
    return f"Postgres at {host}:{parts.get('port') or 5432}/{parts.get('dbname') or ''}"


@contextmanager
def postgres_failures(where: str) -> Iterator[None]:
    """Map whatever psycopg raises to RemoteStoreError, or StoreBusyError for a held lock."""
    import psycopg

    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        words = str(error.diag.message_primary or error)
        raise RemoteStoreError(
            f"{where}: {words}.", "Ask its administrator for the right."
        ) from None
    except psycopg.errors.LockNotAvailable:
        raise StoreBusyError(f"{where} is held by another session.", "Try again.") from None
    except UnicodeEncodeError:
        raise UsageError("A name must be valid Unicode.") from None
    except psycopg.Error as error:
        words = _reason(str(error)) or type(error).__name__
        raise RemoteStoreError(
            f"{where} failed: {words}.", "Check its URL and that the server runs."
        ) from None


def _reason(text: str) -> str:
    """What libpq says went wrong, without its advice and the address, which is shown already."""
    said = " ".join(text.partition("\n\tIs the server")[0].split())
    return re.sub(r"^connection failed: connection to server .* failed: ", "", said).rstrip(".")


def connect(url: str, schema: str | None = None) -> psycopg.Connection[Any]:
    """A connection in autocommit mode, which looks up names in `schema` first, if that is given.
    Raises UsageError if the URL cannot be parsed, RemoteStoreError if no address of the host
    answers within two seconds.
    """
    import psycopg
    from psycopg.sql import SQL, Identifier

    with postgres_failures(server_address(url)):
        made = psycopg.connect(
            url,
            autocommit=True,
            prepare_threshold=None,  # a connection pooler may not keep prepared statements
            connect_timeout=2,
            tcp_user_timeout=3000,
            application_name=f"crag {os.getpid()} on {gethostname()}",
        )
        made.execute(f"set lock_timeout = '{LOCK_SECONDS}s'")
        if schema is not None:
            made.execute(SQL("set search_path = {}, public").format(Identifier(schema)))
        return made


def fetch_value(db: psycopg.Connection[Any], sql: str, *values: object) -> Any:
    """The first column of the first row; None where there is no row."""
    row = db.execute(sql.encode(), values).fetchone()
    return None if row is None else row[0]


def table_exists(db: psycopg.Connection[Any], table: str, schema: str | None = None) -> bool:
    """Whether a table exists in `schema`, or by default in the current schema."""
    named = "to_regclass(format('%%I.%%I', coalesce(%s, current_schema()), %s::text))"
    return bool(fetch_value(db, f"select {named} is not null", schema, table))


class PostgresSql:
    """A connection as a `Sql`."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection

    def _cursor(self) -> psycopg.RawCursor[Any]:
        import psycopg

        return psycopg.RawCursor(self.connection)

    def execute(self, sql: str, values: Sequence[object] = (), /) -> psycopg.Cursor[Any]:
        return self._cursor().execute(sql.encode(), values, binary=True)

    def executemany(self, sql: str, rows: Iterable[Sequence[object]], /) -> None:
        self._cursor().executemany(sql.encode(), rows)


def is_alive(connection: psycopg.Connection[Any]) -> bool:
    """Whether a connection still works. A server that was restarted between two questions is
    noticed here, before anything is sent that might have been committed.
    """
    import psycopg

    try:
        connection.execute("select 1")
    except psycopg.Error:
        connection.close()
        return False
    return True


@contextmanager
def advisory_lock(db: psycopg.Connection[Any], key: int, seconds: float) -> Iterator[None]:
    """Hold an advisory lock until the block ends; the server frees that of a killed process when it
    sees the connection end. The lock is polled: a statement that waits is a transaction, for which
    LangGraph's creation of indexes would wait in turn.

    Raises:
        StoreBusyError: another connection holds it all the time; names its process and machine.
    """
    give_up = time.monotonic() + seconds
    while not fetch_value(db, "select pg_try_advisory_lock(%s)", key):
        if time.monotonic() >= give_up:
            held = db.execute(_HOLDER, (key,)).fetchone()
            who = f" ({held[0]}, since {held[1]})" if held and held[0] else ""
            raise StoreBusyError(
                f"Another process is writing there{who}.", "Try again when it is done."
            )
        time.sleep(_POLL_SECONDS)
    try:
        yield
    finally:
        if not db.closed:
            db.execute("select pg_advisory_unlock(%s)", (key,))


class PostgresDatabase(Database):
    """A schema, by default the current one, reached by a connection that is made again if lost."""

    versions: str
    """The table that holds the version of the others."""
    version: int

    def __init__(self, url: str, schema: str | None = None) -> None:
        super().__init__()
        require_postgres()
        self.url = url
        self.schema = schema
        self._ready = False

    @abstractmethod
    def _create_tables(self, db: psycopg.Connection[Any]) -> None:
        """Create the tables of an empty schema; called inside a transaction."""

    def _open(self, *, write: bool) -> PostgresSql | None:
        if self._connection is None or not is_alive(self._connection):
            self._connection = connect(self.url, self.schema)
            self._running = PostgresSql(self._connection)
            self._ready = False
        if not self._ready:
            self._ready = self._prepared(self._connection, write=write)
        return self._running if self._ready else None

    def _prepared(self, db: psycopg.Connection[Any], *, write: bool) -> bool:
        """Whether the tables exist; with `write` they are created if they are missing."""
        found = self._stored_version(db)
        if not found and write:
            with advisory_lock(db, _TABLES_LOCK, LOCK_SECONDS), db.transaction():
                if not self._stored_version(db):  # or another process made them a moment before
                    self._create_tables(db)
                    db.execute(f"create table {self.versions} (version integer not null)".encode())
                    insert = f"insert into {self.versions} values ({self.version})"  # noqa: S608
                    db.execute(insert.encode())
            found = self._stored_version(db)
        refuse_other(found, self.version, server_address(self.url))
        return bool(found)

    def _stored_version(self, db: psycopg.Connection[Any]) -> int:
        """The version of the tables; 0 if there are none, or if this role may not see them."""
        # In this schema alone: others on the search path may have tables of the same names, and a
        # schema that was made a moment ago may not be on it yet.
        if not table_exists(db, self.versions, self.schema):
            return 0
        table = self.versions if self.schema is None else f'"{self.schema}".{self.versions}'
        return fetch_value(db, f"select max(version) from {table}") or 0  # noqa: S608

    def failures(self) -> AbstractContextManager[None]:
        return postgres_failures(server_address(self.url))

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        db = self._connection
        db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield
        finally:
            if not db.closed:
                db.execute("ROLLBACK")

    def transaction(self) -> AbstractContextManager[Any]:
        transaction: AbstractContextManager[Any] = self._connection.transaction()
        return transaction


class TeamDb(PostgresDatabase):
    """The turns and checkpoints of a team. Appends to one thread queue on that thread's row lock;
    other threads do not wait.
    """

    versions = "crag_schema"
    version = 9
    sizes = "select pg_total_relation_size('crag_threads') + pg_total_relation_size('crag_turns')"

    def _create_tables(self, db: psycopg.Connection[Any]) -> None:
        key = "bigint generated always as identity primary key"
        db.execute(TABLES.format(key=key, bytes="bytea").encode())

    def checkpointer(self) -> PostgresSaver:
        """LangGraph's saver on this connection. Its tables are made or migrated by one process at a
        time, and by the role that owns the schema: others may not.
        """
        from langgraph.checkpoint.postgres import PostgresSaver

        db = self.connected()
        saver = PostgresSaver(db)
        if table_exists(db, "checkpoint_migrations"):
            done = fetch_value(db, "select max(v) from checkpoint_migrations")
            if done is not None and done >= len(saver.MIGRATIONS) - 1:
                return saver
        with advisory_lock(db, _CHECKPOINTS_LOCK, LOCK_SECONDS):
            saver.setup()
        return saver
