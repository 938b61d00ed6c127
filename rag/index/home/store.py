"""The collections of a home: the catalog, and Chroma beneath it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.index import collection_rows
from rag.index.collection_rows import CollectionRow
from rag.index.home.catalog import Catalog, create_lexical, drop_lexical, let_index
from rag.index.protocol import Notice
from rag.index.store import Store
from rag.index.terms import TERMS_VERSION
from state.sqlite_file import transaction

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.index.home.queries import HomeQueries
    from rag.index.home.vectors import ChromaIndex
    from rag.index.home.writer import HomeWriter


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

    def _queries(
        self,
        sql: Any,
        row: CollectionRow,
        files: GitIgnoreSpec | None,
        notice: Notice,
    ) -> HomeQueries:
        from rag.index.home.queries import HomeQueries

        return HomeQueries(sql, row, self.chroma(sql, row), files, notice)

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
        from rag.index.home.writer import HomeWriter

        index = self.chroma(database.connected(), row)
        return HomeWriter(database, row, index, notice)

    def _mend(self, sql: sqlite3.Connection, row: CollectionRow, notice: Notice) -> None:
        """Builds the lexical index again where it is of another version or damaged."""
        if row.terms_version == TERMS_VERSION:
            return
        made = "SELECT 1 FROM sqlite_schema WHERE name = $1"
        if sql.execute(made, (f"lexical_{row.id}",)).fetchone():
            notice("The lexical index is of another version or damaged; building it again.")
            drop_lexical(sql, row.id)
        create_lexical(sql, row.id)
        collection_rows.mark_terms(sql, row.id)

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
