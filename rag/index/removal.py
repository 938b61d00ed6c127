"""Deleting a whole collection."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

from rag.index import collection_rows, document_rows
from rag.index.catalog import catalog_path, connect, mapped_errors
from rag.index.lexical import LexicalTable
from rag.index.lock import WriteLock, lock_path
from state.sqlite_file import transaction


def delete_collection(home: Path, name: str) -> None:
    """Delete its rows, then its vectors: a process killed between leaves vectors that `crag doctor
    --repair` sweeps out.

    Raises:
        NoIndexError, UsageError: there is no such collection.
        StoreBusyError: another process is writing to it.

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
        with transaction(connection):
            LexicalTable(connection, row.id).drop()
            document_rows.delete_all_blocks(connection, row.id)
            connection.execute("DELETE FROM collections WHERE id = ?", (row.id,))
        connection.execute("PRAGMA incremental_vacuum").fetchall()
        shutil.rmtree(home / "vectors" / row.uid, ignore_errors=True)
