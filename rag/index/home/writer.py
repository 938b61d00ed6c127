"""Writing a collection of the catalog; Chroma is brought up to date at the end."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from rag.embed.protocol import Vectors
from rag.index.codec import encode_vectors
from rag.index.collection_rows import CollectionRow, rows_of_many
from rag.index.home.catalog import Catalog
from rag.index.home.vectors import ChromaIndex
from rag.index.protocol import Notice
from rag.index.terms import indexed_head, indexed_text
from rag.index.writer import CollectionWriter, Searchable
from state.sqlite_file import transaction

_VACUUM_PAGES = 20_000


class HomeWriter(CollectionWriter):
    def __init__(
        self, catalog: Catalog, row: CollectionRow, index: ChromaIndex, notice: Notice
    ) -> None:
        self._connection = catalog.connected()
        super().__init__(self._connection, row, host="")
        self._chroma = index
        self._notice = notice
        self._table = f"lexical_{row.id}"

    def _transaction(self) -> AbstractContextManager[None]:
        return transaction(self._connection)

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
            (
                (row, indexed_text(text), indexed_head(title, heading))
                for row, _, text, title, heading in chunks
            ),
        )

    def _unindex(self, documents: Sequence[int]) -> None:
        query = "SELECT id FROM chunks WHERE document_id IN ({some})"
        gone = rows_of_many(self._connection, query, documents)
        self._connection.executemany(f"DELETE FROM {self._table} WHERE rowid = ?", gone)

    def close(self, *, interrupted: bool) -> None:
        # Pages of removed documents go back to the disk, a bounded number at a time.
        self._connection.execute(f"PRAGMA incremental_vacuum({_VACUUM_PAGES})").fetchall()
        if not interrupted:
            self._chroma.bring_up_to_date(self._notice)
