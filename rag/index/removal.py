"""Deleting a whole collection."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from rag.index import collection_rows, document_rows
from rag.index.catalog import catalog_path, connect, mapped_errors
from rag.index.chroma_server import delete_server_collection
from rag.index.lexical import LexicalTable
from rag.index.lock import WriteLock, lock_path
from rag.index.sharing.shelf import shelf_name
from rag.index.vector_sync import VectorPlace, read_state
from state.errors import RemoteStoreError
from state.sqlite_file import transaction


def delete_collection(home: Path, name: str, *, here_alone: bool = False) -> None:
    """Delete what servers hold of it, its rows, then its vectors: a process killed between leaves
    a collection that can be deleted again, or vectors that `crag doctor --repair` sweeps out.
    `here_alone`: whatever a server holds stays there.

    Raises:
        NoIndexError, UsageError: there is no such collection.
        StoreBusyError: another process is writing to it.
        RemoteStoreError: a server that holds some of it cannot be reached; nothing is deleted.

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
            "SELECT store FROM vector_stores WHERE collection_id = :id"
            " UNION SELECT store FROM shares WHERE collection_id = :id",
            {"id": row.id},
        ).fetchall()
        places = [VectorPlace(home, row.id, row.uid, row.embedder, store) for (store,) in stores]
        if not here_alone:
            _delete_remote(connection, [place for place in places if place.store])
        with transaction(connection):
            LexicalTable(connection, row.id).drop()
            document_rows.delete_all_blocks(connection, row.id)
            connection.execute("DELETE FROM collections WHERE id = ?", (row.id,))
        connection.execute("PRAGMA incremental_vacuum").fetchall()
        shutil.rmtree(home / "vectors" / row.uid, ignore_errors=True)


def _delete_remote(connection: sqlite3.Connection, places: Sequence[VectorPlace]) -> None:
    for place in places:
        try:
            # What others copy goes first.
            delete_server_collection(place.store, shelf_name(place.uid))
            place.discard(read_state(connection, place))
        except RemoteStoreError as error:
            raise RemoteStoreError(
                f"{error.message} It holds documents of this collection; nothing was deleted.",
                "Start it and try again, or add --here-alone to leave them there.",
            ) from error
