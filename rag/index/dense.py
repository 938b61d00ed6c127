"""The dense leg of a reader: Chroma where it is sound, the catalog's vectors where it is not.

A reader never waits: while another process writes the store, or when a store is damaged and
too large to be built again in passing, cosines are computed exactly from the catalog.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

from rag.embed.protocol import Vectors
from rag.index import chunk_rows, exact
from rag.index.catalog import connect
from rag.index.chroma_errors import VectorsDamaged
from rag.index.lock import WriteLock
from rag.index.protocol import Notice
from rag.index.vector_sync import StoreState, VectorPlace, read_state, removals, write_all
from rag.index.vectors import ChromaVectors
from state.errors import StorageError, StoreBusyError

REPAIR_CHUNKS = 30_000
"""A reader builds a damaged store of up to this many vectors again; ingest any."""


class DenseLeg:
    """Nearest chunks of one collection."""

    def __init__(self, place: VectorPlace, lock: WriteLock, notice: Notice) -> None:
        self._place = place
        self._lock = lock
        self._notice = notice
        self._store: ChromaVectors | None = None
        self._token = ""
        self._given_up: str | None = None

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Opens the store, or repairs it; does nothing inside a transaction.

        Raises:
            RemoteStoreError: the server that the settings name cannot be reached.

        """
        if connection.in_transaction:
            return
        state = read_state(connection, self._place)
        mark = "" if state is None else state.generation + state.token + str(state.dirty)
        if state is not None and not state.dirty and state.token == self._token:
            return
        self._forget()
        if mark == self._given_up:
            return
        if state is not None and not state.dirty and self._open(state):
            return
        if not self._repair(connection, state):
            self._given_up = mark

    def nearest(
        self, connection: sqlite3.Connection, query: Vectors, limit: int
    ) -> list[tuple[int, float]]:
        """(chunk row, cosine) of visible chunks, best first; inside the caller's snapshot."""
        place = self._place
        state = read_state(connection, place)
        if self._store is None or state is None or state.dirty or state.token != self._token:
            return exact.nearest(connection, place.collection_id, query, limit)
        try:
            wanted = min(limit + min(len(removals(connection, place)), 1_000), state.count)
            found = self._store.nearest(query, wanted) if wanted else []
        except VectorsDamaged:
            self._forget()
            return exact.nearest(connection, place.collection_id, query, limit)
        shown = chunk_rows.visible(connection, place.collection_id, [row for row, _ in found])
        found = [(row, cosine) for row, cosine in found if row in shown]
        tail = exact.nearest(connection, place.collection_id, query, limit, above=state.synced)
        return sorted(found + tail, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def close(self) -> None:
        self._forget()

    def _open(self, state: StoreState) -> bool:
        try:
            self._store = self._place.sealed(state, self._place.open)
        except VectorsDamaged:
            return False
        self._token = state.token
        return True

    def _repair(self, connection: sqlite3.Connection, seen: StoreState | None) -> bool:
        """True when the store is sound and open afterwards."""
        try:
            with self._lock:
                state = read_state(connection, self._place)
                if state != seen and state is not None and not state.dirty and self._open(state):
                    return True
                (chunks,) = connection.execute(
                    "SELECT coalesce(sum(chunk_count), 0) FROM documents"
                    " WHERE collection_id = ? AND visible = 1",
                    (self._place.collection_id,),
                ).fetchone()
                if state is None and not chunks:
                    return False  # there is nothing to search
                if chunks > REPAIR_CHUNKS:
                    self._notice(
                        "The vector store must be built again; searching the catalog until"
                        " `crag doctor --repair` or the next `crag ingest` has done it."
                    )
                    return False
                with closing(connect(self._place.home)) as own:
                    write_all(own, self._place, self._notice, again=state is not None)
                state = read_state(connection, self._place)
                return state is not None and self._open(state)
        except StoreBusyError:
            return False  # its writer is at work on it
        except (StorageError, VectorsDamaged) as error:
            self._notice(f"The vector store cannot be built again ({error}); searching without.")
            return False

    def _forget(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = None
        self._token = ""
