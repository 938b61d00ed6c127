"""Deleting a whole collection."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from rag.index import collection_rows
from rag.index.catalog import catalog_path, connect, mapped_errors, writing
from rag.index.codec import block_row
from rag.index.lexical import LexicalTable
from rag.index.lock import WriteLock, lock_path
from rag.index.vector_sync import VectorPlace, read_state


def delete_collection(home: Path, name: str, *, wait: float = 0.0) -> None:
    """Removes a collection from the catalog and its vectors from wherever they are.

    Raises:
        NoIndexError: nothing was ever ingested.
        UsageError: there is no collection of this name.
        StoreBusyError: it is being written to.
        RemoteStoreError: vectors of it are on a server that cannot be reached; nothing is
            deleted then.

    """
    connect(home).close()  # where there is no catalog there is nothing to lock
    with (
        WriteLock(lock_path(home, name), wait=wait),
        closing(connect(home)) as connection,
        mapped_errors(catalog_path(home)),
    ):
        row = collection_rows.require_row(connection, name)
        stores = connection.execute(
            "SELECT store FROM vector_stores WHERE collection_id = ?", (row.id,)
        ).fetchall()
        places = [VectorPlace(home, row.id, row.uid, row.embedder, store) for (store,) in stores]
        for place in places:
            if place.store:
                place.discard(read_state(connection, place))
        with writing(connection):
            for (document,) in connection.execute(
                "SELECT id FROM documents WHERE collection_id = ?", (row.id,)
            ).fetchall():
                connection.execute(
                    "DELETE FROM vectors WHERE chunk_id IN"
                    " (SELECT id FROM chunks WHERE document_id = ?)",
                    (document,),
                )
                connection.execute("DELETE FROM chunks WHERE document_id = ?", (document,))
                connection.execute(
                    "DELETE FROM blocks WHERE id >= ? AND id < ?",
                    (block_row(document, 0), block_row(document + 1, 0)),
                )
            LexicalTable(connection, row.id).drop()
            connection.execute("DELETE FROM collections WHERE id = ?", (row.id,))
        VectorPlace(home, row.id, row.uid, row.embedder, "").discard(None)
        connection.execute("PRAGMA incremental_vacuum").fetchall()
