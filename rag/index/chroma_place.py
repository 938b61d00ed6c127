"""Where a collection's vectors lie in Chroma, and which revision of the catalog they are.

Chroma is derived from the catalog and trusted only where the catalog's row says so. A damaged
graph can end the process that opens it, so what a folder held when it was written is noted: size
and times of each file tell at once that it is the same, its checksum where these changed.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from rag.embed.protocol import EmbedderIdentity
from rag.index.catalog import connect
from rag.index.chroma import VectorsDamaged
from state.errors import CragError, storage_error
from state.sqlite_file import transaction

_SAVED = "index_metadata.pickle"
"""Beside a graph that was saved; of another nothing is read, and each opening writes it anew."""


@dataclass(frozen=True, slots=True)
class ChromaPlace:
    """A folder of the home, or a Chroma server where `url` is given."""

    home: Path
    collection_id: int
    uid: str
    identity: EmbedderIdentity
    url: str | None = None

    @property
    def root(self) -> Path:
        """Holds a folder for each time that the vectors were built anew: one at most is in use."""
        return self.home / "vectors" / self.uid


@dataclass(frozen=True, slots=True)
class ChromaState:
    """What the catalog knows of Chroma's collection.

    Attributes:
        generation: which time it was built.
        token: what it was marked with after its last complete write.
        revision: of the catalog, which it holds; None while it is being written.
        last_chunk: all of the catalog's up to this are in it.
        files: as `checksums` gives them; of a server's, none.
        current: whether `revision` is the catalog's own.
    """

    generation: str
    token: str
    revision: int | None
    last_chunk: int
    files: str
    current: bool


def read_state(connection: sqlite3.Connection, place: ChromaPlace) -> ChromaState | None:
    row = connection.execute(
        "SELECT generation, token, chroma.revision, last_chunk, files,"
        " coalesce(chroma.revision = collections.revision AND server IS ?, 0)"
        " FROM chroma JOIN collections ON collections.id = collection_id WHERE collection_id = ?",
        (place.url, place.collection_id),
    ).fetchone()
    if row is None:
        return None
    generation, token, revision, last_chunk, files, current = row
    return ChromaState(generation, token, revision, last_chunk, files, bool(current))


def note_damage(place: ChromaPlace, state: ChromaState) -> None:
    """Clears the row for the next ingest, where this process may write and nobody else does now."""
    with (
        suppress(CragError, sqlite3.Error),
        closing(connect(place.home)) as connection,
    ):
        connection.execute("PRAGMA busy_timeout = 100")
        with transaction(connection):
            connection.execute(
                "UPDATE chroma SET revision = NULL WHERE collection_id = ? AND token = ?",
                (place.collection_id, state.token),
            )


def checksums(folder: Path) -> str:
    """Of each file that a graph is read from: its size, times and BLAKE2b, as JSON."""
    return json.dumps({str(path.relative_to(folder)): _noted(path) for path in _files(folder)})


def require_unchanged(folder: Path, noted: str) -> None:
    """Raises VectorsDamaged where the files are not those that were noted."""
    known = json.loads(noted)
    try:
        if not folder.is_dir():
            raise VectorsDamaged("missing")
        found = {str(path.relative_to(folder)): path for path in _files(folder)}
        if found.keys() != known.keys():
            raise VectorsDamaged("not what was last written")
        for name, (*stat, digest) in known.items():
            size, *times = _stat(found[name])
            same = [size, *times] == stat
            if not same and (size != stat[0] or _digest(found[name]) != digest):
                raise VectorsDamaged("not what was last written")
    except OSError as error:
        # A limit of this process or of the disk says nothing about what is stored.
        raise (storage_error(error) or VectorsDamaged(str(error.strerror))) from error


def _files(folder: Path) -> list[Path]:
    saved = [path.parent for path in folder.glob(f"*/{_SAVED}")]
    return sorted(path for each in saved for path in each.iterdir() if path.is_file())


def _stat(path: Path) -> list[int]:
    found = path.stat()
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


def _noted(path: Path) -> list[int | str]:
    return [*_stat(path), _digest(path)]
