"""Reading a collection of the catalog, on one snapshot of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from rag.embed.protocol import Embedder
from rag.index import collection_rows
from rag.index.collection_rows import CollectionRow
from rag.index.home.catalog import catalog_path, connect, file_of, mapped_errors, reading
from rag.index.home.dense import DenseLeg
from rag.index.home.queries import HomeQueries
from rag.index.home.texts import Texts
from rag.index.home.vectors import ChromaPlace
from rag.index.protocol import Notice
from rag.index.reader import Reader
from state.closing import closed_on_failure

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class HomeReader(Reader):
    """A collection of the catalog."""

    def __init__(
        self,
        home: Path,
        connection: sqlite3.Connection,
        row: CollectionRow,
        embedder: Embedder,
        notice: Notice,
        chroma_url: str | None,
        files: GitIgnoreSpec | None = None,
    ) -> None:
        super().__init__(embedder, notice)
        self._home = home
        self._path = catalog_path(home)
        self._chroma_url = chroma_url
        self._files = files
        # Graph nodes may run on threads; a connection has one transaction at a time.
        self._lock = RLock()
        self._open(connection, row)
        self._require_text()

    def _open(self, connection: sqlite3.Connection, row: CollectionRow) -> None:
        self._file = file_of(self._path)
        self._connection = connection
        place = ChromaPlace(self._home, row.id, row.uid, row.embedder, self._chroma_url)
        self._dense = DenseLeg(connection, place, self._notice)
        self._texts = Texts(connection)
        self._revision: int | None = None
        self._begin(row)

    def _begin(self, row: CollectionRow) -> None:
        queries = HomeQueries(self._connection, row.id, self._dense, self._texts, self._files)
        self._read_from(row, queries)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with self._lock:
            with self._moment():
                pass  # opens what was made anew, outside of a transaction
            with mapped_errors(self._path):
                self._dense.prepare()
            with self._moment():
                yield

    @contextmanager
    def _moment(self) -> Iterator[None]:
        with self._lock, mapped_errors(self._path), ExitStack() as moment:
            while not self._connection.in_transaction:
                moment.enter_context(reading(self._connection))
                if not self._stands():
                    moment.close()
                    self._open_again()
            yield

    def _stands(self) -> bool:
        """Whether this is still the collection of its name; what was found in it before a write
        is forgotten.
        """
        rows = self._connection.execute(
            "SELECT revision FROM collections WHERE id = ? AND uid = ?",
            (self._row.id, self._row.uid),
        ).fetchall()
        if not rows or file_of(self._path) != self._file:
            return False
        if rows[0][0] != self._revision:
            self._revision = rows[0][0]
            self._begin(self._row)
        return True

    def _open_again(self) -> None:
        """The collection that has the name now. Raises as `_moment`."""
        with closed_on_failure(connect(self._home)) as connection:
            row = collection_rows.find(connection, self.name)
            if row is None:
                raise collection_rows.deleted(self.name)
            self._may_go_on(row)
        self.close()
        self._open(connection, row)

    def close(self) -> None:
        with self._lock:
            self._dense.close()
            self._connection.close()
