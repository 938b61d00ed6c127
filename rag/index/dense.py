"""The dense leg of a reader: the catalog's vectors by way of a shortlist where these are few,
Chroma where they are many and it is sound, and all of the catalog's where it is not.

A reader never waits: while another process writes the store, or when it is damaged or cannot be
written, cosines are computed exactly from the catalog.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence

import numpy as np

from rag.embed.protocol import Vectors
from rag.index import chunk_rows, shortlist
from rag.index.catalog import reading, rows_of_many
from rag.index.chroma import VectorsDamaged
from rag.index.codec import decode_vectors
from rag.index.protocol import Notice
from rag.index.shortlist import Shortlist
from rag.index.vector_place import StoreState, VectorPlace, added, read_state, removals
from rag.index.vectors import ChromaVectors
from state.errors import StorageError

_BATCH = 8_192


class DenseLeg:
    """Nearest chunks of one collection; of up to `exact_chunks`, Chroma is left closed."""

    def __init__(self, place: VectorPlace, notice: Notice, exact_chunks: int) -> None:
        self._place = place
        self._notice = notice
        self._exact_chunks = exact_chunks
        self._shortlist: Shortlist | None = None
        self._store: ChromaVectors | None = None
        self._token = ""
        self._given_up: str | None = None

    def prepare(self, connection: sqlite3.Connection) -> None:
        """Opens the store where it is sound; does nothing inside a transaction."""
        state = None if connection.in_transaction else read_state(connection, self._place)
        if state is None:
            return
        if state.count <= self._exact_chunks:
            self._read_shortlist(connection, state)
        elif state.dirty or state.token != self._token:
            self.close()
            if not state.dirty and state.token != self._given_up:
                self._open(connection, state)

    def nearest(
        self, connection: sqlite3.Connection, query: Vectors, limit: int, only: str | None = None
    ) -> list[tuple[int, float]]:
        """(chunk row, cosine) of chunks, best first; inside the caller's snapshot. Of the
        documents whose ids are in the JSON list `only`, where it is given.
        """
        among = None if only is None else chunk_rows.of_documents(connection, only)
        found, synced = self._known(connection, query, limit, among)
        if among is None:
            new = added(connection, self._place, synced)
        else:
            new = [row for row in among if row > synced]
        found |= cosines(connection, query, new)
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def _known(
        self, connection: sqlite3.Connection, query: Vectors, limit: int, among: set[int] | None
    ) -> tuple[dict[int, float], int]:
        """The nearest of the chunks that the shortlist or the store knows, and the last of these;
        none where neither is as the catalog says.
        """
        place, short = self._place, self._shortlist
        state = read_state(connection, place)
        if state is None:
            return {}, 0
        if short is not None and state.token == short.token:
            numbers = short.candidates(query, limit, removals(connection, place), among)
            shown = chunk_rows.still_there(connection, place.collection_id, numbers)
            return cosines(connection, query, sorted(shown)), short.synced
        usable = not state.dirty and state.token == self._token
        if among is not None or self._store is None or not usable:
            return {}, 0
        try:
            wanted = min(limit + min(len(removals(connection, place)), 1_000), state.count)
            found = dict(self._store.nearest(query, wanted) if wanted else [])
        except VectorsDamaged:
            self.close()
            return {}, 0
        shown = chunk_rows.still_there(connection, place.collection_id, list(found))
        return {row: cosine for row, cosine in found.items() if row in shown}, state.synced

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = None
        self._shortlist = None
        self._token = ""

    def _read_shortlist(self, connection: sqlite3.Connection, state: StoreState) -> None:
        """Writes it where it is missing or damaged."""
        if self._shortlist is not None and self._shortlist.token == state.token:
            return
        self.close()
        self._shortlist = shortlist.read(self._place, state)
        if self._shortlist is None and not state.dirty and self._given_up != state.token:
            self._given_up = state.token
            with reading(connection):
                shortlist.write(connection, self._place, state)
            self._shortlist = shortlist.read(self._place, state)

    def _open(self, connection: sqlite3.Connection, state: StoreState) -> None:
        try:
            self._store = self._place.open(state)
            self._token = state.token
        except StorageError:
            if os.access(self._place.folder(state), os.W_OK):
                raise
            self._given_up = state.token  # Chroma opens none that it cannot write
        except VectorsDamaged as error:
            if read_state(connection, self._place) != state:
                return  # another process began to write it meanwhile
            self._given_up = state.token
            self._notice(
                f"The vector store is damaged ({error}); searching the catalog until"
                " `crag doctor --repair` has built it again."
            )


def cosines(
    connection: sqlite3.Connection, query: Vectors, chunks: Sequence[int]
) -> dict[int, float]:
    """The cosine of each of these chunks."""
    stored = "SELECT chunk_id, vector FROM vectors WHERE chunk_id IN ({some})"
    found: dict[int, float] = {}
    for first in range(0, len(chunks), _BATCH):
        rows = rows_of_many(connection, stored, chunks[first : first + _BATCH])
        near = _cosines([vector for _, vector in rows], query)
        found.update(zip((row for row, _ in rows), map(float, near), strict=True))
    return found


def _cosines(rows: Sequence[bytes], query: Vectors) -> Vectors:
    """A vector stored as float16 is of length 1 no more. Chroma divides by the length; so does
    this, or a score would say which of the two had searched.
    """
    stored = decode_vectors(rows, len(query))
    lengths = np.linalg.norm(stored, axis=1)
    result: Vectors = stored @ query / np.maximum(lengths, np.finfo(np.float32).tiny)
    return result
