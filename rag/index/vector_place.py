"""Where a collection's vectors are, what the catalog knows of them, and whether that holds."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rag.embed.protocol import EmbedderIdentity
from rag.index import contents, shortlist, vectors
from rag.index.chroma_errors import VectorsDamaged
from rag.index.folder_digest import files_match, rows_digest
from rag.index.vectors import ChromaVectors

if TYPE_CHECKING:
    from rag.index.vector_process import VectorProcess

    WritableVectors = ChromaVectors | VectorProcess

TAIL_CHUNKS = 64
"""Fewer changes than this, or than a twentieth of the collection, wait for the next write."""

_UNSEALED = "not what was last written"

_Opened = TypeVar("_Opened", bound="WritableVectors")


@dataclass(frozen=True, slots=True)
class StoreState:
    """What the catalog knows of one vector store of one collection."""

    generation: str
    token: str
    """What was sealed last: its own name and, of a folder, the digests of files and rows."""
    dirty: bool
    synced: int
    count: int

    @property
    def seal(self) -> str:
        return self.token.partition(" ")[0]

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
    process: Callable[[], VectorProcess] | None = None
    """Makes the process that writes the folder; None: this one does."""

    @property
    def root(self) -> Path:
        return self.home / "vectors" / self.uid

    def open(self, generation: str, *, create: bool = False) -> ChromaVectors:
        return vectors.open_folder(self.root / generation, self.identity, create=create)

    def open_writable(self, generation: str, *, create: bool = False) -> WritableVectors:
        if self.process is not None:
            return self.process().open(self.root / generation, self.identity, create=create)
        return self.open(generation, create=create)

    def sealed(self, state: StoreState, opener: Callable[[str], _Opened]) -> _Opened:
        """The vectors, if they are what the catalog says they are.

        Raises:
            VectorsDamaged: they are not.
        """
        self._compare(state)
        opened = opener(state.generation)
        sealed = False
        try:
            sealed = opened.token() == state.seal and opened.holds(state.count)
        finally:
            if not sealed:
                opened.close()
        if not sealed:
            raise VectorsDamaged(_UNSEALED)
        return opened

    def check(self, state: StoreState) -> None:
        """Looks at everything that is stored, which takes as long as reading it.

        Raises:
            VectorsDamaged: it is not what the catalog says it is.
        """
        folder = self.root / state.generation
        self._compare(state)
        if rows_digest(folder) != state.rows or shortlist.is_damaged(self, state):
            raise VectorsDamaged(_UNSEALED)
        if not os.access(folder, os.W_OK):
            return  # Chroma opens none that it cannot write
        self.sealed(state, self.open).close()

    def _compare(self, state: StoreState) -> None:
        """Before Chroma opens a folder: what is damaged may end the process that opens it."""
        folder = self.root / state.generation
        if not folder.is_dir():
            raise VectorsDamaged("missing")
        if not files_match(folder, state.files):
            raise VectorsDamaged(_UNSEALED)

    def discard(self) -> None:
        """Deletes the vectors, all generations."""
        shutil.rmtree(self.root, ignore_errors=True)


def read_state(connection: sqlite3.Connection, place: VectorPlace) -> StoreState | None:
    row = connection.execute(
        "SELECT generation, token, dirty, synced, count FROM vector_stores"
        " WHERE collection_id = ? AND store = ''",
        (place.collection_id,),
    ).fetchone()
    return None if row is None else StoreState(row[0], row[1], bool(row[2]), row[3], row[4])


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
