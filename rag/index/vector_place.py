"""Where a collection's vectors are, what the catalog knows of them, and whether that holds.

Chroma reads its files as they are: a few flipped bits in its graph end the process that opens
it, or hang it. So what a folder held when it was sealed is kept as numbers that any damage changes,
and compared before it is opened.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rag.embed.protocol import EmbedderIdentity
from rag.index import shortlist, vectors
from rag.index.chroma import VectorsDamaged
from rag.index.contents import Contents
from rag.index.vectors import ChromaVectors
from state.errors import storage_error
from state.sqlite_file import error_code, readable, storage_failure

TAIL_CHUNKS = 64
"""Fewer changes than this, or than a twentieth of the collection, wait for the next write."""

_DATABASE = "chroma.sqlite3"
_LIMITS = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_IOERR)
_SAVED = "index_metadata.pickle"
_READ_BYTES = 1 << 20
# Chroma notes every opening here.
_UNSTABLE = "acquire_write"


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
        if files_digest(folder, state.files) != state.files:
            raise VectorsDamaged(vectors.UNSEALED)


def read_state(connection: sqlite3.Connection, place: VectorPlace) -> StoreState | None:
    row = connection.execute(
        "SELECT generation, token, dirty, synced, count FROM vector_stores WHERE collection_id = ?",
        (place.collection_id,),
    ).fetchone()
    return None if row is None else StoreState(*row)


def pending(connection: sqlite3.Connection, place: VectorPlace, state: StoreState) -> int:
    """How many additions and removals the store has not seen."""
    return len(added(connection, place, state.synced)) + len(removals(connection, place))


def added(connection: sqlite3.Connection, place: VectorPlace, after: int) -> list[int]:
    """The collection's chunks past this one."""
    rows = connection.execute(
        "SELECT chunks.id FROM chunks CROSS JOIN documents ON documents.id = chunks.document_id"
        " WHERE chunks.id > ? AND documents.collection_id = ?",
        (after, place.collection_id),
    )
    return [row[0] for row in rows]


def removals(connection: sqlite3.Connection, place: VectorPlace) -> list[int]:
    rows = connection.execute(
        "SELECT chunk_id FROM vector_removals WHERE collection_id = ?", (place.collection_id,)
    )
    return [row[0] for row in rows]


def needs_write(connection: sqlite3.Connection, place: VectorPlace) -> bool:
    state = read_state(connection, place)
    if state is None:
        return Contents(connection, place.collection_id).totals()[1] > 0
    if state.dirty:
        return True
    return pending(connection, place, state) > max(TAIL_CHUNKS, state.count // 20)


def files_digest(folder: Path, known: str = "") -> str:
    """The size of all files but the database, and CRC-32 of their names and bytes. No crash
    comes from the database, and it is written whenever it is opened. Of another size than what is
    `known` nothing is read: a damaged graph can fill a disk.

    Raises:
        VectorsDamaged: a file cannot be read.
    """
    found = 0
    try:
        files = _files(folder)
        size = sum(path.stat().st_size for path in files)
        for path in files if known.startswith(f"{size}-") or not known else ():
            found = zlib.crc32(f"{path.relative_to(folder)}\n".encode(), found)
            with path.open("rb") as file:
                while data := file.read(_READ_BYTES):
                    found = zlib.crc32(data, found)
    except OSError as error:
        # A limit of this process or of the disk says nothing about what is stored.
        raise (storage_error(error) or VectorsDamaged(error.strerror)) from error
    return f"{size}-{found:08x}"


def _files(folder: Path) -> list[Path]:
    """A graph that was never saved is not read: each opening writes it anew, from the database."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not path.name.startswith(_DATABASE)
        and (path.parent == folder or (path.parent / _SAVED).is_file())
    )


def rows_digest(folder: Path) -> str:
    """CRC-32 of what the database holds, after SQLite's own check of it.

    Raises:
        VectorsDamaged: SQLite finds fault with it.
    """
    found = 0
    path = folder / _DATABASE
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
        ) as database:
            database.text_factory = readable
            for (line,) in database.execute("PRAGMA integrity_check(1)"):
                if line != "ok":
                    raise VectorsDamaged(line)
            tables = database.execute(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name <> ?"
                " ORDER BY name",
                (_UNSTABLE,),
            ).fetchall()
            for name, definition in tables:
                found = zlib.crc32(repr(definition).encode(), found)
                for row in database.execute(f'SELECT * FROM "{name}"'):
                    found = zlib.crc32(repr(row).encode(), found)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes what is damaged
        if isinstance(error, sqlite3.Error) and error_code(error) in _LIMITS:
            raise storage_failure(error, f"The vector store {path}", "") from error
        raise VectorsDamaged(str(error)) from error
    return f"{found:08x}"
