"""Keeping Chroma equal to the catalog: its row is cleared, Chroma is written, the row is written.

A process that is killed between leaves the row cleared: readers scan the catalog's vectors, and
the next ingest builds Chroma anew.
"""

from __future__ import annotations

import shutil
import sqlite3
import uuid
from collections.abc import Callable

from rag.index import chunk_rows
from rag.index.chroma import VectorsDamaged
from rag.index.chroma_place import (
    ChromaPlace,
    ChromaState,
    checksums,
    read_state,
    require_unchanged,
)
from rag.index.chroma_vectors import (
    BATCH,
    ChromaVectors,
    create_vectors,
    drop_server_vectors,
    open_vectors,
)
from rag.index.codec import decode_vectors
from rag.index.contents import Contents
from rag.index.protocol import Notice
from state.closing import Closing
from state.errors import StorageError
from state.sqlite_file import transaction

_NEXT_VECTORS = """
SELECT vectors.chunk_id, vectors.vector FROM vectors
CROSS JOIN chunks ON chunks.id = vectors.chunk_id
CROSS JOIN documents ON documents.id = chunks.document_id
WHERE vectors.chunk_id > :last AND documents.collection_id = :collection
ORDER BY vectors.chunk_id LIMIT :limit
"""


class ChromaWrite(Closing):
    """One write, from clearing the row to writing it. The caller holds the collection's lock.

    `feed` may be called again and again while documents are being added; `finish`, when none are
    any more. A write that is closed without it leaves the row cleared.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        place: ChromaPlace,
        notice: Notice,
        *,
        again: bool = False,
    ) -> None:
        """`again`: build it anew, whatever the row says of the old one."""
        self._notice = notice
        self._connection = connection
        self._place = place
        self._fed: list[int] = []
        found = read_state(connection, place)
        self._store, self._generation, self._last = self._begun(None if again else found, found)

    def _begun(
        self, usable: ChromaState | None, found: ChromaState | None
    ) -> tuple[ChromaVectors, str, int]:
        if usable is not None and usable.revision is not None:
            try:
                store = open_vectors(self._place, usable)
            except VectorsDamaged as error:
                self._notice(f"Chroma's index is damaged ({error}); building it again.")
            else:
                self._clear(usable.generation, usable.last_chunk)
                return store, usable.generation, usable.last_chunk
        elif found is not None:
            self._notice("Chroma's index was left half-written; building it again.")
        generation = uuid.uuid4().hex[:8]
        self._clear(generation, 0)
        if self._place.url is not None and found is not None:
            drop_server_vectors(self._place, found.generation)
        shutil.rmtree(self._place.root, ignore_errors=True)
        return create_vectors(self._place, generation), generation, 0

    def _clear(self, generation: str, last_chunk: int) -> None:
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO chroma VALUES (?, ?, '', NULL, ?, '{}', ?)",
                (self._place.collection_id, generation, last_chunk, self._place.url),
            )

    def feed(self, stopped: Callable[[], object] = lambda: False) -> None:
        """Adds the chunks past the last, in order."""
        while not stopped():
            rows = self._connection.execute(
                _NEXT_VECTORS,
                {
                    "last": self._fed[-1] if self._fed else self._last,
                    "collection": self._place.collection_id,
                    "limit": BATCH,
                },
            ).fetchall()
            if not rows:
                return
            ids = [row[0] for row in rows]
            dimension = self._place.identity.dimension
            self._store.upsert(ids, decode_vectors([row[1] for row in rows], dimension))
            self._fed += ids

    def finish(self) -> None:
        """Removes what the catalog removed, marks it as complete and writes the row."""
        shown = chunk_rows.still_there(self._connection, self._place.collection_id, self._fed)
        gone = _removals(self._connection, self._place) + sorted({*self._fed} - shown)
        if gone:
            self._store.delete(gone)
        count = Contents(self._connection, self._place.collection_id).totals()[1]
        if self._store.count() != count:
            raise VectorsDamaged(f"{self._store.count()} vectors where {count} belong")
        token = uuid.uuid4().hex
        self._store.seal(token)
        self.close()
        files = "{}" if self._place.url else checksums(self._place.root / self._generation)
        last = self._fed[-1] if self._fed else self._last
        collection = self._place.collection_id
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO chroma SELECT id, ?, ?, revision, ?, ?, ?"
                " FROM collections WHERE id = ?",
                (self._generation, token, last, files, self._place.url, collection),
            )
            _forget_removals(self._connection, collection)

    def close(self) -> None:
        self._store.close()


def needs_write(connection: sqlite3.Connection, place: ChromaPlace) -> bool:
    """Whether Chroma holds another set of chunks than the catalog; where it does not, though the
    catalog was written, the row is told so.
    """
    state = read_state(connection, place)
    if state is None:
        return Contents(connection, place.collection_id).totals()[1] > 0
    if state.current:
        return not _is_whole(place, state)
    if state.revision is None or _removals(connection, place):
        return True
    values = {"last": state.last_chunk, "collection": place.collection_id, "limit": 1}
    if connection.execute(_NEXT_VECTORS, values).fetchone() is not None:
        return True
    if not _is_whole(place, state):
        return True
    with transaction(connection):
        connection.execute(
            "UPDATE chroma SET revision = (SELECT revision FROM collections WHERE id = ?1)"
            " WHERE collection_id = ?1",
            (place.collection_id,),
        )
    return False


def _is_whole(place: ChromaPlace, state: ChromaState) -> bool:
    """Whether its files are as they were written; of a server's nothing is asked."""
    if place.url is not None:
        return True
    try:
        require_unchanged(place.root / state.generation, state.files)
    except VectorsDamaged:
        return False
    return (place.root / state.generation / "chroma.sqlite3").is_file()


def write_all(
    connection: sqlite3.Connection, place: ChromaPlace, notice: Notice, *, again: bool = False
) -> None:
    """Brings Chroma up to date in one go, or builds it anew. Where that fails, one line says so:
    the catalog answers, and the next ingest tries again.
    """
    try:
        with ChromaWrite(connection, place, notice, again=again) as write:
            write.feed()
            write.finish()
    except (VectorsDamaged, StorageError) as error:
        if again or place.url is not None or isinstance(error, StorageError):
            why = str(error).rstrip(".")
            notice(f"Chroma could not be written ({why}); the catalog is searched instead.")
        else:
            write_all(connection, place, notice, again=True)


def note_removed(connection: sqlite3.Connection, collection_id: int, document_id: int) -> None:
    """Remembers which chunks of a document Chroma holds; inside the transaction that removes it."""
    connection.execute(
        "INSERT OR IGNORE INTO chroma_removals SELECT chroma.collection_id, chunks.id"
        " FROM chroma JOIN chunks ON chunks.id <= chroma.last_chunk"
        " WHERE chroma.collection_id = ? AND chunks.document_id = ?",
        (collection_id, document_id),
    )


def _removals(connection: sqlite3.Connection, place: ChromaPlace) -> list[int]:
    rows = connection.execute(
        "SELECT chunk_id FROM chroma_removals WHERE collection_id = ?", (place.collection_id,)
    )
    return [row[0] for row in rows]


def _forget_removals(connection: sqlite3.Connection, collection_id: int) -> None:
    connection.execute("DELETE FROM chroma_removals WHERE collection_id = ?", (collection_id,))
