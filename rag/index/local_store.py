"""The collections of a home: the catalog, and the vectors beside it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rag.index import collection_rows
from rag.index.catalog import catalog_path, connect, mapped_errors, opened, reading
from rag.index.collection_store import Store
from rag.index.document_rows import DocumentRows
from rag.index.lock import lock_path, write_lock
from rag.index.protocol import Notice
from state.closing import closed_on_failure
from state.sqlite_file import transaction

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Embedder, EmbedderIdentity
    from rag.engines.openai.cache import GradeCache
    from rag.index.collection import Collection
    from rag.index.collection_writer import CollectionWriter

_PATIENCE_MS = 250


class LocalStore(Store):
    """What searches and what writes is imported when it is asked for."""

    def __init__(self, home: Path, chroma_url: str | None = None) -> None:
        self._home = home
        self._chroma_url = chroma_url

    def open_collection(
        self,
        name: str,
        embedder: Embedder,
        notice: Notice = lambda _line: None,
        *,
        files: GitIgnoreSpec | None = None,
    ) -> Collection:
        from rag.index.collection import Collection

        path = catalog_path(self._home)
        with closed_on_failure(connect(self._home)) as connection, mapped_errors(path):
            row = collection_rows.require(connection, name)
            collection_rows.check_embedder(name, row.embedder, embedder.identity)
            return Collection(
                self._home, connection, row, embedder, notice, self._chroma_url, files
            )

    @contextmanager
    def open_writer(
        self,
        name: str,
        embedder: EmbedderIdentity,
        *,
        uid: str | None = None,
        wait: float = 0.0,
        notice: Notice = lambda _line: None,
    ) -> Iterator[CollectionWriter]:
        from rag.index.chroma_place import ChromaPlace
        from rag.index.feeder import VectorFeeder
        from rag.index.writer import CatalogWriter, prepared

        with (
            write_lock(lock_path(self._home, name), wait=wait),
            opened(self._home, create=True) as connection,
        ):
            row = prepared(connection, name, embedder, uid, notice)
            place = ChromaPlace(self._home, row.id, row.uid, row.embedder, self._chroma_url)
            feeder = VectorFeeder(place, notice)
            with CatalogWriter(self._home, connection, row, feeder) as writer:
                yield writer

    def _files_here(self, name: str) -> tuple[str, ...]:
        of_name = "collection_id = (SELECT id FROM collections WHERE name = ?)"
        return f" FROM documents WHERE path IS NOT NULL AND {of_name}", name

    def delete(self, name: str) -> None:
        """Its rows, then its vectors: a process killed between leaves vectors that `crag doctor
        --repair` sweeps out.
        """
        from rag.index.chroma_place import ChromaPlace, read_state
        from rag.index.chroma_vectors import drop_server_vectors

        with write_lock(lock_path(self._home, name)), opened(self._home) as connection:
            row = collection_rows.require_row(connection, name)
            place = ChromaPlace(self._home, row.id, row.uid, row.embedder, self._chroma_url)
            if self._chroma_url is not None and (state := read_state(connection, place)):
                drop_server_vectors(place, state.generation)
            with transaction(connection):
                DocumentRows(connection, row.id).delete_collection()
            connection.execute("PRAGMA incremental_vacuum").fetchall()
            shutil.rmtree(self._home / "vectors" / row.uid, ignore_errors=True)

    def grades(self) -> GradeCache:
        from rag.index.kept_grades import KeptGrades

        return KeptGrades(self._impatient, self._writing_soon)

    @contextmanager
    def _impatient(self) -> Iterator[sqlite3.Connection]:
        with opened(self._home) as connection:
            connection.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
            yield connection

    @contextmanager
    def _writing_soon(self) -> Iterator[sqlite3.Connection]:
        with self._impatient() as connection, transaction(connection):
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One moment of the catalog; raises NoIndexError where there is none."""
        with opened(self._home) as connection, reading(connection):
            yield connection
