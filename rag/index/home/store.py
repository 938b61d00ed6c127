"""The collections of a home: the catalog, and Chroma beneath it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rag.index import collection_rows
from rag.index.collection_rows import CollectionRow
from rag.index.home import schema
from rag.index.home.catalog import catalog_path, connect, mapped_errors, opened, reading
from rag.index.home.lock import lock_path, write_lock
from rag.index.protocol import Notice
from rag.index.store import Store
from rag.index.terms import TERMS_VERSION
from state.closing import closed_on_failure
from state.sqlite_file import transaction

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Embedder, EmbedderIdentity
    from rag.index.home.reader import HomeReader
    from rag.index.home.vectors import ChromaPlace
    from rag.index.writer import CollectionWriter


class HomeStore(Store):
    """What searches and what writes is imported when it is asked for."""

    host = ""

    def __init__(self, home: Path, chroma_url: str | None = None) -> None:
        self._home = home
        self._chroma_url = chroma_url

    def open_collection(
        self,
        name: str,
        embedder: Embedder,
        notice: Notice = lambda _line: None,
        *,
        files: GitIgnoreSpec | None = None,
    ) -> HomeReader:
        from rag.index.home.reader import HomeReader

        path = catalog_path(self._home)
        with closed_on_failure(connect(self._home)) as connection, mapped_errors(path):
            row = collection_rows.require(connection, name)
            collection_rows.check_embedder(name, row.embedder, embedder.identity)
            return HomeReader(
                self._home, connection, row, embedder, notice, self._chroma_url, files
            )

    @contextmanager
    def open_writer(
        self,
        name: str,
        embedder: EmbedderIdentity,
        *,
        uid: str | None = None,
        wait: float = 0.0,
        notice: Notice = lambda _line: None,
    ) -> Iterator[CollectionWriter]:
        from rag.index.home.writer import HomeWriter

        with self.locked(name, create=True, wait=wait) as connection:
            with transaction(connection):
                row = collection_rows.found_or_created(
                    connection,
                    name,
                    embedder,
                    uid,
                    lambda made: schema.create_lexical(connection, made.id),
                )
                if row.terms_version != TERMS_VERSION:
                    notice("The lexical index is of another version or damaged; building it again.")
                    self.rebuild(connection, row)
            with HomeWriter(connection, row, self.place(row), notice) as writer:
                yield writer

    @contextmanager
    def locked(
        self, name: str, *, create: bool = False, wait: float = 0.0
    ) -> Iterator[sqlite3.Connection]:
        """The catalog, for whoever holds the collection of this name until the block ends."""
        from rag.index.home.texts import let_index

        with (
            write_lock(lock_path(self._home, name), wait=wait),
            opened(self._home, create=create) as connection,
        ):
            let_index(connection)
            yield connection

    def place(self, row: CollectionRow) -> ChromaPlace:
        from rag.index.home.vectors import ChromaPlace

        return ChromaPlace(self._home, row.id, row.uid, row.embedder, self._chroma_url)

    def rebuild(self, connection: sqlite3.Connection, row: CollectionRow) -> None:
        """Builds the lexical index again from the stored texts; inside a transaction of the caller,
        whose connection is `locked`.
        """
        schema.drop_lexical(connection, row.id)
        schema.create_lexical(connection, row.id)
        collection_rows.mark_terms(connection, row.id)

    def delete(self, name: str) -> None:
        """Its rows, then its vectors: killed between, it leaves some that nothing reads."""
        from rag.index.home.vectors import drop_server_vectors, read_row

        with self.locked(name) as connection:
            row = collection_rows.require(connection, name)
            place = self.place(row)
            if self._chroma_url is not None and (state := read_row(connection, place)):
                drop_server_vectors(place, state.folder)
            with transaction(connection):
                schema.drop_lexical(connection, row.id)
                connection.execute("DELETE FROM collections WHERE id = ?", (row.id,))
            connection.execute("PRAGMA incremental_vacuum").fetchall()
            shutil.rmtree(place.root, ignore_errors=True)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One moment of the catalog; raises NoIndexError where there is none."""
        with opened(self._home) as connection, reading(connection):
            yield connection
