"""A collection's vectors in Chroma, in a folder of the home or on a server: ids and vectors,
nothing else.

Chroma is derived from the catalog and asked only where the catalog's row says that it holds its
revision. Whoever writes it clears that row, writes Chroma, and writes the row; what was left
half-written is built anew. A damaged graph can end the process that opens it, so each file's
size and time are noted when a folder was written, and a folder that has others is not opened.
Whatever goes wrong inside is `VectorsDamaged`.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rag.embed.protocol import Vectors
from rag.index.codec import decode_vectors
from rag.index.collection_rows import CollectionRow, rows_of_many
from rag.index.home.catalog import Catalog
from rag.index.home.chroma import ChromaVectors, VectorsDamaged, drop_from_server
from rag.index.protocol import Notice
from state.errors import CragError
from state.sqlite_file import transaction
from state.wording import redact_urls

_SAVED = "index_metadata.pickle"
"""Lies beside a saved graph. One without it is not read, and each opening writes it anew."""


class ChromaRow(NamedTuple):
    """What the catalog knows of Chroma's collection.

    Attributes:
        folder: its name, or that of the server's collection: a new one for each build.
        revision: the catalog's, which it holds; None while it is being written.
        files: as `_files` gives them; none for a server.
        current: whether the catalog is still at `revision`.
    """

    folder: str
    revision: int | None
    files: str
    current: bool


class ChromaIndex:
    """A collection's vectors, in a folder of the home or at a Chroma server's `url`."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        home: Path,
        row: CollectionRow,
        url: str | None = None,
    ) -> None:
        """`connection`: to the home's catalog."""
        self._connection = connection
        self._home = home
        self._collection = row
        self.url = url
        # As the catalog notes it: without a password.
        self._server = None if url is None else redact_urls(url)
        # Holds a folder for each build of the vectors, of which one at most is in use.
        self.root = home / "vectors" / row.uid

    def row(self) -> ChromaRow | None:
        rows = self._connection.execute(
            "SELECT folder, chroma.revision, files,"
            " coalesce(chroma.revision = collections.revision AND server IS $1, 0) FROM chroma"
            " JOIN collections ON collections.id = collection_id WHERE collection_id = $2",
            (self._server, self._collection.id),
        ).fetchall()
        return ChromaRow(*rows[0]) if rows else None

    def open(self, row: ChromaRow) -> ChromaVectors:
        """Opens the vectors that the catalog's row names; raises as `ChromaVectors`."""
        self.require_unchanged(row)
        return self._vectors(row.folder, row.revision)

    def _vectors(self, folder: str, revision: int | None) -> ChromaVectors:
        return ChromaVectors(self.url or self.root / folder, self._name(folder), revision)

    def _name(self, folder: str) -> str:
        return f"crag-{self._collection.uid}-{folder}"

    def mark_damaged(self, row: ChromaRow) -> bool:
        """Clears the row's revision, so that the next ingest builds the vectors again. False where
        the row has changed, or where this process may not write or another one is writing.
        """
        with contextlib.suppress(CragError), Catalog(self._home) as catalog, catalog.failures():
            if (connection := catalog.connected(write=False)) is None:
                return False
            connection.execute("PRAGMA busy_timeout = 100")
            with transaction(connection):
                cursor: sqlite3.Cursor = connection.execute(
                    "UPDATE chroma SET revision = NULL WHERE collection_id = $1 AND folder = $2"
                    " AND revision = $3",
                    (self._collection.id, row.folder, row.revision),
                )
                return cursor.rowcount == 1
        return False

    def bring_up_to_date(self, notice: Notice) -> None:
        """Makes Chroma hold what the catalog holds, or builds it anew; the caller holds the
        collection's lock. Where that fails, one line says so: the catalog answers, and the next
        ingest tries again.
        """
        row = self.row()
        try:
            if row is None and not self._chunks():
                return
            if row is not None and row.revision is None:
                notice("Chroma's index was left half-written; building it again.")
            elif row is not None and self._update(row, notice):
                return
            folder = uuid.uuid4().hex[:8]
            self._note(folder)
            self.drop(row)
            self._fill(self._vectors(folder, None), folder)
        except VectorsDamaged as error:
            why = str(error).rstrip(".")
            notice(f"Chroma could not be written ({why}); the catalog is searched instead.")

    def drop(self, row: ChromaRow | None) -> None:
        """Deletes all vectors of the collection."""
        if row is not None and self.url is not None:
            drop_from_server(self.url, self._name(row.folder))
        shutil.rmtree(self.root, ignore_errors=True)

    def _update(self, row: ChromaRow, notice: Notice) -> bool:
        """Whether Chroma is up to date with the catalog now; updates it in place where it can."""
        try:
            if not row.current:
                return self._fill(self.open(row), row.folder)
            self.require_unchanged(row)
        except VectorsDamaged as error:
            if self.url is None:
                notice(f"Chroma's index is damaged ({error}); building it again.")
            return False
        return True

    def _fill(self, held: ChromaVectors, folder: str) -> bool:
        """Makes Chroma hold the catalog's chunks, as `ChromaVectors.sync`; the row's revision is
        cleared meanwhile.
        """
        with held:
            self._note(folder)
            ((revision,),) = self._connection.execute(
                "SELECT revision FROM collections WHERE id = $1", (self._collection.id,)
            ).fetchall()
            if not held.sync(self._chunks(), self._stored, revision):
                return False
        files = "[]" if self.url else _files(self.root / folder)
        self._note(folder, revision, files)
        return True

    def _stored(self, ids: Sequence[int]) -> Vectors:
        """The catalog's vectors of these chunks, whose ids ascend."""
        query = "SELECT id, vector FROM chunks WHERE id IN ({some}) ORDER BY id"
        rows = rows_of_many(self._connection, query, ids)
        return decode_vectors([vector for _, vector in rows], self._collection.embedder.dimension)

    def _chunks(self) -> set[int]:
        rows = self._connection.execute(
            "SELECT chunks.id FROM documents CROSS JOIN chunks ON document_id = documents.id"
            " WHERE documents.collection_id = $1",
            (self._collection.id,),
        )
        return {row for (row,) in rows}

    def _note(self, folder: str, revision: int | None = None, files: str = "[]") -> None:
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO chroma (collection_id, folder, revision, files, server)"
                " VALUES ($1, $2, $3, $4, $5)",
                (self._collection.id, folder, revision, files, self._server),
            )

    def require_unchanged(self, row: ChromaRow) -> None:
        """Raises VectorsDamaged where the files are not those that were noted; a server is not
        asked.
        """
        if self.url is not None:
            return
        folder = self.root / row.folder
        try:
            if not (folder / "chroma.sqlite3").is_file():
                raise VectorsDamaged("missing")
            if _files(folder) != row.files:
                raise VectorsDamaged("not what was last written")
        except OSError as error:
            raise VectorsDamaged(str(error.strerror)) from error


def _files(folder: Path) -> str:
    """The sizes and times of the files that graphs are read from."""
    saved = [path.parent for path in folder.glob(f"*/{_SAVED}")]
    found = sorted(path for each in saved for path in each.iterdir() if path.is_file())
    stats = [(path, path.stat()) for path in found]
    return json.dumps([[path.name, stat.st_size, stat.st_mtime_ns] for path, stat in stats])
