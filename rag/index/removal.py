"""Deleting a whole collection."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from rag.index import collection_rows, document_rows
from rag.index.catalog import catalog_path, connect, mapped_errors
from rag.index.chroma_server import delete_server_collection
from rag.index.lexical import LexicalTable
from rag.index.lock import WriteLock, lock_path
from rag.index.sharing.shelf import shelf_name
from rag.index.vector_sync import VectorPlace, read_state
from state.sqlite_file import transaction


def delete_collection(home: Path, name: str) -> None:
    """Delete rows first, then vectors: a process killed between leaves what nobody looks for,
    and what `crag doctor --repair` sweeps out.

    Raises:
        NoIndexError, UsageError: there is no such collection.
        StoreBusyError: another process is writing to it.
        RemoteStoreError: a server that holds vectors of it cannot be reached; they stay there.

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
        stores = connection.execute(
            "SELECT store FROM vector_stores WHERE collection_id = ?", (row.id,)
        ).fetchall()
        places = [VectorPlace(home, row.id, row.uid, row.embedder, store) for (store,) in stores]
        written = [(place, read_state(connection, place)) for place in places]
        with transaction(connection):
            LexicalTable(connection, row.id).drop()
            document_rows.delete_all_blocks(connection, row.id)
            connection.execute("DELETE FROM collections WHERE id = ?", (row.id,))
        connection.execute("PRAGMA incremental_vacuum").fetchall()
        for place, state in written:
            place.discard(state)
            if place.store:
                delete_server_collection(place.store, shelf_name(row.uid))
            else:
                shutil.rmtree(place.root, ignore_errors=True)
