"""Where a collection's vectors are, what the catalog knows of them, and whether that holds."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from rag.embed.protocol import EmbedderIdentity
from rag.index import contents, shortlist, vectors
from rag.index.chroma import VectorsDamaged
from rag.index.folder_digest import files_match, rows_digest
from rag.index.vectors import ChromaVectors

TAIL_CHUNKS = 64
"""Fewer changes than this, or than a twentieth of the collection, wait for the next write."""


@dataclass(frozen=True, slots=True)
class StoreState:
    """What the catalog knows of the vectors of one collection, as its columns are."""

    generation: str
    token: str
    """What was sealed last: its own name and, of a folder, the digests of files and rows."""
    dirty: bool
    synced: int
    count: int

    @property
    def sealed(self) -> tuple[str, int]:
        """The token and the count in the folder."""
        return self.token.partition(" ")[0], self.count

    @property
    def files(self) -> str:
        return self.token.partition(" ")[2].partition(" ")[0]

    @property
    def rows(self) -> str:
        return self.token.partition(" ")[2].partition(" ")[2]


@dataclass(frozen=True, slots=True)
class VectorPlace:
    """Where a collection's vectors are."""

    home: Path
    collection_id: int
    uid: str
    identity: EmbedderIdentity

    @property
    def root(self) -> Path:
        return self.home / "vectors" / self.uid

    def folder(self, state: StoreState) -> Path:
        return self.root / state.generation

    def open(self, state: StoreState) -> ChromaVectors:
        """The vectors, if they are what the catalog says they are.

        Raises:
            VectorsDamaged: they are not.
        """
        self.compare(state)
        return vectors.open_folder(self.folder(state), self.identity, state.sealed)

    def check(self, state: StoreState) -> None:
        """Looks at everything that is stored, which takes as long as reading it.

        Raises:
            VectorsDamaged: it is not what the catalog says it is.
        """
        self.compare(state)
        folder = self.folder(state)
        if rows_digest(folder) != state.rows or shortlist.is_damaged(self, state):
            raise VectorsDamaged(vectors.UNSEALED)
        if os.access(folder, os.W_OK):  # Chroma opens none that it cannot write
            self.open(state).close()

    def compare(self, state: StoreState) -> None:
        """Before Chroma opens a folder: what is damaged may end the process that opens it. Raises
        as `open`.
        """
        folder = self.folder(state)
        if not folder.is_dir():
            raise VectorsDamaged("missing")
        if not files_match(folder, state.files):
            raise VectorsDamaged(vectors.UNSEALED)


def read_state(connection: sqlite3.Connection, place: VectorPlace) -> StoreState | None:
    row = connection.execute(
        "SELECT generation, token, dirty, synced, count FROM vector_stores"
        " WHERE collection_id = ? AND store = ''",
        (place.collection_id,),
    ).fetchone()
    return None if row is None else StoreState(*row)


def pending(connection: sqlite3.Connection, place: VectorPlace, state: StoreState) -> int:
    """How many additions and removals the store has not seen."""
    (added,) = connection.execute(
        "SELECT count(*) FROM chunks CROSS JOIN documents ON documents.id = chunks.document_id"
        " WHERE chunks.id > ? AND documents.collection_id = ? AND documents.visible = 1",
        (state.synced, place.collection_id),
    ).fetchone()
    return int(added) + len(removals(connection, place))


def removals(connection: sqlite3.Connection, place: VectorPlace) -> list[int]:
    rows = connection.execute(
        "SELECT chunk_id FROM vector_removals WHERE collection_id = ? AND store = ''",
        (place.collection_id,),
    )
    return [row[0] for row in rows]


def needs_write(connection: sqlite3.Connection, place: VectorPlace) -> bool:
    state = read_state(connection, place)
    if state is None:
        return contents.totals(connection, place.collection_id)[1] > 0
    if state.dirty:
        return True
    return pending(connection, place, state) > max(TAIL_CHUNKS, state.count // 20)
