"""A collection's vectors in Chroma, in a folder of the home or on a server: ids and vectors,
nothing else, by its public API.

Chroma is derived from the catalog and asked only where the catalog's row says that it holds its
revision. Whoever writes it clears that row, writes Chroma, and writes the row; what was left
half-written is built anew. A damaged graph can end the process that opens it, so what a folder held
when it was written is noted: size and times of each file tell at once that it is the same, its
checksum where these changed. Whatever goes wrong inside is `VectorsDamaged`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import resource
import shutil
import sqlite3
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index.codec import decode_vectors
from rag.index.collection_rows import rows_of_many
from rag.index.home.catalog import Catalog
from rag.index.home.chroma import (
    VectorsDamaged,
    chroma_settings,
    chromadb_module,
    foreign_errors,
)
from rag.index.protocol import Notice
from state.closing import Closing, closed_on_failure
from state.errors import CragError, StorageError, storage_error
from state.sqlite_file import transaction
from state.urls import masked

_BATCH = 1_000
"""Of an upsert: as many as Chroma saves at once, so that its log stays small."""
_SEARCH_WIDTH = 200
_NEEDED_FILES = 96
"""Open ones: twice what a process that searches was seen to take."""
_BLOCK = 1 << 20
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

    @property
    def server(self) -> str | None:
        """As the catalog notes it: without what opens a door."""
        return None if self.url is None else masked(self.url)


class ChromaRow(NamedTuple):
    """What the catalog knows of Chroma's collection.

    Attributes:
        folder: or its collection on a server: another each time that it is built.
        revision: of the catalog's collection, which it holds; None while it is being written.
        files: as `_written` gives them; of a server's, none.
        current: whether `revision` is the collection's own.
    """

    folder: str
    revision: int | None
    files: str
    current: bool


def read_row(connection: sqlite3.Connection, place: ChromaPlace) -> ChromaRow | None:
    rows = connection.execute(
        "SELECT folder, chroma.revision, files,"
        " coalesce(chroma.revision = collections.revision AND server IS $1, 0)"
        " FROM chroma JOIN collections ON collections.id = collection_id WHERE collection_id = $2",
        (place.server, place.collection_id),
    ).fetchall()
    return ChromaRow(*rows[0]) if rows else None


def row_now(place: ChromaPlace) -> ChromaRow | None:
    """As `read_row`, whatever moment a reader is at."""
    with Catalog(place.home) as catalog, catalog.reading() as connection:
        return None if connection is None else read_row(connection, place)


def note_damage(place: ChromaPlace, row: ChromaRow) -> None:
    """Clears the row for the next ingest, where this process may write and nobody else does now."""
    with contextlib.suppress(CragError), Catalog(place.home) as catalog, catalog.failures():
        if (connection := catalog.connected(write=False)) is None:
            return
        connection.execute("PRAGMA busy_timeout = 100")
        with transaction(connection):
            connection.execute(
                "UPDATE chroma SET revision = NULL WHERE collection_id = $1 AND folder = $2"
                " AND revision = $3",
                (place.collection_id, row.folder, row.revision),
            )


def bring_up_to_date(connection: sqlite3.Connection, place: ChromaPlace, notice: Notice) -> None:
    """Makes Chroma hold what the catalog holds, or builds it anew; the caller holds the
    collection's lock. Where that fails, one line says so: the catalog answers, and the next ingest
    tries again.
    """
    row = read_row(connection, place)
    try:
        if row is None and not _chunks(connection, place):
            return
        if row is not None and row.revision is None:
            notice("Chroma's index was left half-written; building it again.")
        elif row is not None and _updated(connection, place, row, notice):
            return
        folder = uuid.uuid4().hex[:8]
        _note(connection, place, folder)
        if row is not None and place.url is not None:
            drop_server_vectors(place, row.folder)
        shutil.rmtree(place.root, ignore_errors=True)
        _fill(connection, place, ChromaVectors(place, folder, None), folder)
    except (VectorsDamaged, StorageError) as error:
        why = str(error).rstrip(".")
        notice(f"Chroma could not be written ({why}); the catalog is searched instead.")


def _updated(
    connection: sqlite3.Connection, place: ChromaPlace, row: ChromaRow, notice: Notice
) -> bool:
    """Whether it was as the catalog, or could be made so."""
    try:
        if row.current:
            require_unchanged(place, row)
        else:
            _fill(connection, place, open_vectors(place, row), row.folder)
    except VectorsDamaged as error:
        if place.url is None:
            notice(f"Chroma's index is damaged ({error}); building it again.")
        return False
    return True


def _fill(
    connection: sqlite3.Connection, place: ChromaPlace, held: ChromaVectors, folder: str
) -> None:
    """Takes out what the catalog has no more, puts in what it has; the row is cleared meanwhile."""
    with held:
        _note(connection, place, folder)
        wanted, known = _chunks(connection, place), held.ids()
        held.delete(sorted(known - wanted))
        new = sorted(wanted - known)
        for first in range(0, len(new), _BATCH):
            query = "SELECT id, vector FROM chunks WHERE id IN ({some}) ORDER BY id"
            rows = rows_of_many(connection, query, new[first : first + _BATCH])
            vectors = decode_vectors([stored for _, stored in rows], place.identity.dimension)
            held.upsert([row for row, _ in rows], vectors)
        if (count := held.count()) != len(wanted):
            raise VectorsDamaged(f"{count} vectors where {len(wanted)} belong")
        ((revision,),) = connection.execute(
            "SELECT revision FROM collections WHERE id = $1", (place.collection_id,)
        ).fetchall()
        held.mark(revision)
    files = "[]" if place.url else _written(place.root / folder)
    _note(connection, place, folder, revision, files)


def _chunks(connection: sqlite3.Connection, place: ChromaPlace) -> set[int]:
    rows = connection.execute(
        "SELECT chunks.id FROM documents CROSS JOIN chunks ON document_id = documents.id"
        " WHERE documents.collection_id = $1",
        (place.collection_id,),
    )
    return {row for (row,) in rows}


def _note(
    connection: sqlite3.Connection,
    place: ChromaPlace,
    folder: str,
    revision: int | None = None,
    files: str = "[]",
) -> None:
    with transaction(connection):
        connection.execute(
            "INSERT OR REPLACE INTO chroma (collection_id, folder, revision, files, server)"
            " VALUES ($1, $2, $3, $4, $5)",
            (place.collection_id, folder, revision, files, place.server),
        )


class ChromaVectors(Closing):
    """A collection of Chroma's, open. Ids are the catalog's chunk rows."""

    def __init__(self, place: ChromaPlace, folder: str, revision: int | None) -> None:
        """The one that holds this `revision`, or an empty one; raises as `open_vectors`."""
        self._identity = place.identity
        name = _name(place, folder)
        with foreign_errors():
            self._client = _client(place, folder)
            with closed_on_failure(self):
                self._collection = self._created(name) if revision is None else self._found(name)
                if revision is not None and self._collection.metadata != self._metadata(revision):
                    raise VectorsDamaged("not what was last written")

    def _found(self, name: str) -> Any:
        return self._client.get_collection(name, embedding_function=None)

    def _created(self, name: str) -> Any:
        return self._client.create_collection(
            name,
            metadata=self._metadata(0),
            configuration={"hnsw": {"space": "cosine", "ef_search": _SEARCH_WIDTH}},
            embedding_function=None,
        )

    def _metadata(self, revision: int) -> dict[str, str | int]:
        dimension = self._identity.dimension
        return {"embedder": str(self._identity), "dimension": dimension, "revision": revision}

    def close(self) -> None:
        with contextlib.suppress(Exception):  # a damaged store may fail to close, too
            self._client.close()

    def mark(self, revision: int) -> None:
        """Says in Chroma, too, which revision it holds."""
        with foreign_errors():
            self._collection.modify(metadata=self._metadata(revision))

    def count(self) -> int:
        with foreign_errors():
            return int(self._collection.count())

    def ids(self) -> set[int]:
        with foreign_errors():
            return set(map(int, self._collection.get(include=[])["ids"]))

    def upsert(self, ids: Sequence[int], vectors: Vectors) -> None:
        """At most _BATCH rows at a time."""
        with foreign_errors():
            self._collection.upsert(ids=list(map(str, ids)), embeddings=vectors)

    def delete(self, ids: Sequence[int]) -> None:
        with foreign_errors():
            for first in range(0, len(ids), _BATCH):
                self._collection.delete(ids=list(map(str, ids[first : first + _BATCH])))

    def nearest(self, query: Vectors, limit: int) -> dict[int, float]:
        """The cosines of the nearest chunks by row, best first."""
        with foreign_errors():
            found = self._collection.query(
                query_embeddings=[query], n_results=limit, include=["distances"]
            )
            pairs = zip(found["ids"][0], found["distances"][0], strict=True)
            return {int(number): 1.0 - float(distance) for number, distance in pairs}


def open_vectors(place: ChromaPlace, row: ChromaRow) -> ChromaVectors:
    """What the catalog's row tells of.

    Raises:
        VectorsDamaged: it is not there, cannot be opened, or is something else.
        StorageError: this process may open too few files for it.
    """
    require_unchanged(place, row)
    return ChromaVectors(place, row.folder, row.revision)


def drop_server_vectors(place: ChromaPlace, folder: str) -> None:
    """Of a server that cannot be reached they stay; no name is given twice."""
    with (
        contextlib.suppress(VectorsDamaged, StorageError),
        foreign_errors(),
        contextlib.closing(_client(place, folder)) as client,
    ):
        client.delete_collection(_name(place, folder))


def _client(place: ChromaPlace, folder: str) -> Any:
    if place.url is not None:
        parts = urlsplit(place.url)
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 8000)
        return chromadb_module().HttpClient(
            host=parts.hostname, port=port, ssl=secure, settings=chroma_settings()
        )
    _allow_open_files()
    path = place.root / folder
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return chromadb_module().PersistentClient(path=str(path), settings=chroma_settings())


def _name(place: ChromaPlace, folder: str) -> str:
    return f"crag-{place.uid}-{folder}"


def _allow_open_files() -> None:
    """Lets this process open as many as Chroma needs, which calls it damage where it may not.

    Raises:
        StorageError: its limit does not allow it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < _NEEDED_FILES:  # infinity may be -1
        if 0 <= hard < _NEEDED_FILES:
            raise StorageError(
                f"The vector store needs {_NEEDED_FILES} open files; this process may have {hard}.",
                "Raise its limit: `ulimit -n 256`.",
            )
        resource.setrlimit(resource.RLIMIT_NOFILE, (_NEEDED_FILES, hard))


def require_unchanged(place: ChromaPlace, row: ChromaRow) -> None:
    """Raises VectorsDamaged where the files are not those that were noted; of a server nothing is
    asked.
    """
    if place.url is not None:
        return
    folder = place.root / row.folder
    try:
        if not (folder / "chroma.sqlite3").is_file():
            raise VectorsDamaged("missing")
        stats, digest = json.loads(row.files)
        if _stats(folder) != stats and _digest(folder) != digest:
            raise VectorsDamaged("not what was last written")
    except OSError as error:
        # A limit of this process or of the disk says nothing about what is stored.
        raise (storage_error(error) or VectorsDamaged(str(error.strerror))) from error


def _written(folder: Path) -> str:
    """What tells the files that graphs are read from: their sizes and times, or what they hold."""
    return json.dumps([_stats(folder), _digest(folder)])


def _files(folder: Path) -> list[Path]:
    saved = [path.parent for path in folder.glob(f"*/{_SAVED}")]
    return sorted(path for each in saved for path in each.iterdir() if path.is_file())


def _stats(folder: Path) -> list[list[str | int]]:
    found = [(path, path.stat()) for path in _files(folder)]
    return [[path.name, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns] for path, stat in found]


def _digest(folder: Path) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for path in _files(folder):
        digest.update(f"{path.name} {path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()
