"""Deleting a collection with all that hangs on it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from rag.index import collection_rows
from rag.index.catalog import catalog_path, connect, mapped_errors, writing
from rag.index.lexical import LexicalTable
from rag.index.lock import WriteLock, lock_path
from rag.index.vector_sync import VectorPlace, read_state


def delete_collection(home: Path, name: str, *, store: str | None = None) -> None:
    """Delete rows first, then vectors: a process killed between leaves what nobody looks for.

    Raises:
        NoIndexError, UsageError: there is no such collection.
        StoreBusyError: another process is writing to it.
        RemoteStoreError: its vectors are on the server `store`, which cannot be reached.

    """
    with (
        WriteLock(lock_path(home, name)),
        closing(connect(home)) as connection,
        mapped_errors(catalog_path(home)),
    ):
        row = collection_rows.find(connection, name)
        if row is None:
            collection_rows.require(connection, name)
            return
        place = VectorPlace(home, row.id, row.uid, row.embedder, store or "")
        state = read_state(connection, place)
        with writing(connection):
            LexicalTable(connection, row.id).drop()
            connection.execute("DELETE FROM collections WHERE id = ?", (row.id,))
        place.discard(state)
        connection.execute("PRAGMA incremental_vacuum").fetchall()
