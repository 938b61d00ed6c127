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
from dataclasses import astuple, replace

from rag.index import chunk_rows, shortlist, vectors
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
from state.closing import Closing, closed_on_failure
from state.errors import StorageError
from state.sqlite_file import transaction

EXACT_CHUNKS = 200_000
"""Up to so many, passing over all vectors costs no more than importing and opening Chroma."""

_NEXT_VECTORS = """
SELECT vectors.chunk_id, vectors.vector FROM vectors
CROSS JOIN chunks ON chunks.id = vectors.chunk_id
CROSS JOIN documents ON documents.id = chunks.document_id
WHERE vectors.chunk_id > :last AND documents.collection_id = :collection
ORDER BY vectors.chunk_id LIMIT :limit
"""


class VectorWrite(Closing):
    """One write of the store, from mark to seal. The caller holds the collection's lock.

    `feed` may be called again and again while documents are being added; `finish`, when none are
    any more, seals. A store that is closed without it stays dirty.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        place: VectorPlace,
        notice: Notice,
        *,
        again: bool = False,
    ) -> None:
        """`again`: build a new generation, whatever the catalog says of the old one."""
        self._connection = connection
        self._place = place
        self._fed: list[int] = []
        found = read_state(connection, place)
        store = None
        if found is not None and not found.dirty and not again:
            try:
                store = place.open(found)
            except VectorsDamaged as error:
                notice(f"The vector store is damaged ({error}); building it again.")
        elif found is not None:
            why = "is damaged" if again else "was left half-written"
            notice(f"The vector store {why}; building it again from the catalog.")
        if found is None or store is None:
            self._save(StoreState(uuid.uuid4().hex[:8], "", dirty=True, synced=0, count=0))
            shutil.rmtree(place.root, ignore_errors=True)
            store = vectors.open_folder(place.folder(self._state), place.identity, create=True)
        else:
            with closed_on_failure(store):
                self._save(replace(found, dirty=True))
        self._store = store

    def feed(self, stopped: Callable[[], object] = lambda: False) -> None:
        """Adds the chunks past the last, in order."""
        while not stopped():
            rows = self._connection.execute(
                _NEXT_VECTORS,
                {
                    "last": self._fed[-1] if self._fed else self._state.synced,
                    "collection": self._place.collection_id,
                    "limit": vectors.BATCH,
                },
            ).fetchall()
            if not rows:
                return
            ids = [row[0] for row in rows]
            dimension = self._place.identity.dimension
            self._store.upsert(ids, decode_vectors([row[1] for row in rows], dimension))
            self._fed += ids

    def finish(self) -> None:
        """Removes what the catalog removed, checks the count, seals and closes."""
        state = self._state
        shown = chunk_rows.still_there(self._connection, self._place.collection_id, self._fed)
        gone = removals(self._connection, self._place) + sorted({*self._fed} - shown)
        if gone:
            self._store.delete(gone)
        count, wanted = self._store.count(), state.count + len(self._fed) - len(gone)
        if count != wanted:
            raise VectorsDamaged(f"{count} vectors where {wanted} belong")
        token = uuid.uuid4().hex
        self._store.seal(token)
        self.close()
        folder = self._place.folder(state)
        vectors.clear_unset(folder)
        vectors.shrink_folder(folder)
        token = f"{token} {files_digest(folder)} {rows_digest(folder)}"
        synced = self._fed[-1] if self._fed else state.synced
        self._save(StoreState(state.generation, token, dirty=False, synced=synced, count=count))
        if count <= EXACT_CHUNKS:
            shortlist.write(self._connection, self._place, self._state)

    def close(self) -> None:
        self._store.close()

    def _save(self, state: StoreState) -> None:
        """Of what the store holds by now, removals need not be remembered."""
        self._state = state
        collection = self._place.collection_id
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO vector_stores (collection_id, generation, token, dirty,"
                " synced, count) VALUES (?, ?, ?, ?, ?, ?)",
                (collection, *astuple(state)),
            )
            if not (state.dirty and state.token):
                self._connection.execute(
                    "DELETE FROM vector_removals WHERE collection_id = ?", (collection,)
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
