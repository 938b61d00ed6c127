"""Keeping Chroma equal to the catalog, and building it again when it is not.

The catalog says up to which chunk the vectors were written (`synced`), how many there are,
under which token, and whether a write is under way (`dirty`). Chunks past `synced` are the
tail: readers search them exactly, so that a small change need not touch Chroma at all.
A process killed while writing leaves `dirty`, and the next one starts a new generation.
"""

from __future__ import annotations

import shutil
import sqlite3
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

from rag.index import shortlist, vectors
from rag.index.chroma import VectorsDamaged
from rag.index.codec import decode_vectors
from rag.index.protocol import Notice
from rag.index.vector_place import (
    StoreState,
    VectorPlace,
    files_digest,
    read_state,
    removals,
    rows_digest,
)
from state.closing import Closing
from state.errors import StorageError
from state.sqlite_file import transaction

if TYPE_CHECKING:
    from rag.index.vector_process import VectorProcess
    from rag.index.vectors import ChromaVectors

    Opener = Callable[..., ChromaVectors | VectorProcess]

EXACT_CHUNKS = 200_000
"""Up to so many, passing over all vectors costs no more than importing and opening Chroma."""

_NEXT_VECTORS = """
SELECT vectors.chunk_id, vectors.vector FROM vectors
CROSS JOIN chunks ON chunks.id = vectors.chunk_id
CROSS JOIN documents ON documents.id = chunks.document_id
WHERE vectors.chunk_id > :synced AND documents.collection_id = :collection
  AND documents.visible = 1
  -- Nothing past a document that is being written: it is fed when it is shown.
  AND vectors.chunk_id < coalesce(
    (SELECT min(hidden.id) FROM documents AS unfinished
     JOIN chunks AS hidden ON hidden.document_id = unfinished.id
     WHERE unfinished.collection_id = :collection AND unfinished.visible = 0), 1 << 62)
ORDER BY vectors.chunk_id LIMIT :limit
"""


class VectorWrite(Closing):
    """One write of the store, from mark to seal. The caller holds the collection's lock.

    `feed` may be called again and again while documents are being added; `finish` seals. A store
    that is closed without it stays dirty.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        place: VectorPlace,
        notice: Notice,
        *,
        again: bool = False,
        opener: Opener = vectors.open_folder,
        catalog_lock: AbstractContextManager[Any] | None = None,
    ) -> None:
        """`again`: build a new generation, whatever the catalog says of the old one. `opener` takes
        what `open_folder` takes. `catalog_lock` is held while the catalog is written: SQLite lets
        who asks again and again wait for long.
        """
        self._connection = connection
        self._catalog_lock = catalog_lock or nullcontext()
        self._place = place
        found = read_state(connection, place)
        with ExitStack() as opened:
            store = None
            if found is not None and not found.dirty and not again:
                try:
                    place.compare(found)
                    store = opener(place.folder(found), place.identity, found.sealed)
                    opened.callback(store.close)
                except VectorsDamaged as error:
                    notice(f"The vector store is damaged ({error}); building it again.")
            elif found is not None:
                why = "is damaged" if again else "was left half-written"
                notice(f"The vector store {why}; building it again from the catalog.")
            if found is not None and store is not None:
                self._state = replace(found, dirty=True)
            else:
                self._state = StoreState(uuid.uuid4().hex[:8], "", dirty=True, synced=0, count=0)
            with transaction(connection):
                self._save(forget_removals=store is None)
            if store is None:
                shutil.rmtree(place.root, ignore_errors=True)
                store = opener(place.folder(self._state), place.identity, create=True)
            self._store = store
            opened.pop_all()

    def feed(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Adds the visible chunks past `synced`, in order."""
        while not stopped():
            # Marked before they are added: what is removed meanwhile is then removed here, too.
            with self._catalog_lock, transaction(self._connection):
                rows = self._connection.execute(
                    _NEXT_VECTORS,
                    {
                        "synced": self._state.synced,
                        "collection": self._place.collection_id,
                        "limit": vectors.BATCH,
                    },
                ).fetchall()
                if rows:
                    self._state = replace(
                        self._state, synced=rows[-1][0], count=self._state.count + len(rows)
                    )
                    self._save()
            if not rows:
                return
            matrix = decode_vectors([row[1] for row in rows], self._place.identity.dimension)
            self._store.upsert([row[0] for row in rows], matrix)

    def finish(self) -> None:
        """Removes what the catalog removed, checks the count, seals and closes."""
        gone = removals(self._connection, self._place)
        if gone:
            self._store.delete(gone)
        count = self._store.count()
        if count != self._state.count - len(gone):
            raise VectorsDamaged(f"{count} vectors where {self._state.count - len(gone)} belong")
        token = uuid.uuid4().hex
        self._store.seal(token)
        self.close()
        folder = self._place.folder(self._state)
        vectors.clear_unset(folder)
        vectors.shrink_folder(folder)
        token = f"{token} {files_digest(folder)} {rows_digest(folder)}"
        self._state = replace(self._state, token=token, dirty=False, count=count)
        with transaction(self._connection):
            self._save(forget_removals=True)
        if count <= EXACT_CHUNKS:
            shortlist.write(self._connection, self._place, self._state)

    def close(self) -> None:
        self._store.close()

    def _save(self, *, forget_removals: bool = False) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO vector_stores (collection_id, store, generation, token,"
            " dirty, synced, count) VALUES (?, '', ?, ?, ?, ?, ?)",
            (self._place.collection_id, *astuple(self._state)),
        )
        if forget_removals:
            self._connection.execute(
                "DELETE FROM vector_removals WHERE collection_id = ? AND store = ''",
                (self._place.collection_id,),
            )


def write_all(
    connection: sqlite3.Connection, place: VectorPlace, notice: Notice, *, again: bool = False
) -> None:
    """Brings the store up to date in one go; builds it again if it does not come out right.

    Raises:
        StorageError: it did not come out right twice.
    """
    try:
        with VectorWrite(connection, place, notice, again=again) as write:
            write.feed()
            write.finish()
    except VectorsDamaged as error:
        if again:
            raise StorageError(
                f"The vector store cannot be built ({error}).",
                "Look after memory and disk, then run `crag doctor --repair`; nothing is lost.",
            ) from error
        write_all(connection, place, notice, again=True)
