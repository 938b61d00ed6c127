"""The collections of a home: the catalog, and Chroma beneath it, which is brought up to date at the
end of what is written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.index import collection_rows
from rag.index.codec import encode_vectors
from rag.index.collection_rows import CollectionRow, rows_of_many
from rag.index.home.catalog import Catalog, create_lexical, drop_lexical, let_index
from rag.index.protocol import Notice
from rag.index.store import Store
from rag.index.terms import TERMS_VERSION
from rag.index.writer import CollectionWriter, Searchable
from state.sqlite_file import transaction

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors
    from rag.index.home.queries import HomeQueries
    from rag.index.home.vectors import ChromaIndex

_VACUUM_PAGES = 20_000


class HomeStore(Store):
    """`chroma_url`: the Chroma server that holds the vectors; None: they are in the home."""

    def __init__(self, home: Path, chroma_url: str | None = None) -> None:
        self._home = home
        self._chroma_url = chroma_url

    def database(self) -> Catalog:
        return Catalog(self._home)

    def chroma(self, sql: sqlite3.Connection, row: CollectionRow) -> ChromaIndex:
        from rag.index.home.vectors import ChromaIndex

        return ChromaIndex(sql, self._home, row, self._chroma_url)

    def _queries(self, sql: Any, row: CollectionRow, notice: Notice) -> HomeQueries:
        from rag.index.home.queries import HomeQueries

        return HomeQueries(sql, row, self.chroma(sql, row), notice)

    @contextmanager
    def locked(self, name: str, *, create: bool = False) -> Iterator[Catalog]:
        from rag.index.home.lock import lock_path, write_lock

        with (
            write_lock(lock_path(self._home, name)),
            Catalog(self._home) as catalog,
            catalog.failures(),
        ):
            connection = catalog.connected(write=create)
            if connection is None:
                raise collection_rows.nothing_ingested()
            let_index(connection)
            yield catalog

    def _writer(self, database: Catalog, row: CollectionRow, notice: Notice) -> HomeWriter:
        index = self.chroma(database.connected(), row)
        return HomeWriter(database, row, index, notice)

    def _mend(self, sql: sqlite3.Connection, row: CollectionRow, notice: Notice) -> None:
        """Builds the lexical index again where it is of another version."""
        if row.terms_version == TERMS_VERSION:
            return
        made = "SELECT 1 FROM sqlite_schema WHERE name = $1"
        if sql.execute(made, (f"lexical_{row.id}",)).fetchone():
            notice("The lexical index is of another version; building it again.")
            drop_lexical(sql, row.id)
        create_lexical(sql, row.id)
        noted = "UPDATE collections SET terms_version = $1 WHERE id = $2"
        sql.execute(noted, (TERMS_VERSION, row.id))

    def delete(self, name: str) -> None:
        """Deletes rows, then vectors: killed in between, it leaves some that nothing reads."""
        with self.locked(name) as catalog:
            connection = catalog.connected()
            row = collection_rows.require(connection, name)
            index = self.chroma(connection, row)
            written = index.row()
            with transaction(connection):
                drop_lexical(connection, row.id)
                connection.execute("DELETE FROM collections WHERE id = $1", (row.id,))
            connection.execute("PRAGMA incremental_vacuum").fetchall()
            index.drop(written)


class HomeWriter(CollectionWriter):
    def __init__(
        self, catalog: Catalog, row: CollectionRow, index: ChromaIndex, notice: Notice
    ) -> None:
        self._connection = catalog.connected()
        super().__init__(catalog, self._connection, row)
        self._chroma = index
        self._notice = notice
        self._table = f"lexical_{row.id}"

    def _new_rows(self, table: str, count: int) -> list[int]:
        """Behind the last: nobody else writes, and all are inserted before more are asked for."""
        rows = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        used = next((row for (row,) in rows), 0)
        return list(range(used + 1, used + count + 1))

    def _encoded(self, vectors: Vectors) -> list[bytes]:
        return encode_vectors(vectors)

    def _index(self, chunks: Sequence[Searchable]) -> None:
        self._connection.executemany(
            f"INSERT INTO {self._table} (rowid, body, head) VALUES (?, ?, ?)",
            [(row, body, head) for row, _, body, head in chunks],
        )

    def _unindex(self, documents: Sequence[int]) -> None:
        query = "SELECT id FROM chunks WHERE document_id IN ({some})"
        gone = rows_of_many(self._connection, query, documents)
        self._connection.executemany(f"DELETE FROM {self._table} WHERE rowid = ?", gone)

    def finish(self) -> None:
        # Pages of removed documents go back to the disk, a bounded number at a time.
        self._connection.execute(f"PRAGMA incremental_vacuum({_VACUUM_PAGES})").fetchall()
        self._chroma.bring_up_to_date(self._notice)
