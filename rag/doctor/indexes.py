"""Each collection: its lexical index and its vectors against the catalog, and their repair; in a
shared store its rows against its totals.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from rag.doctor.part_check import REPAIR, Check, ill, well
from rag.embed.protocol import EmbedderIdentity
from rag.index import collection_rows
from rag.index.catalog import opened, reading
from rag.index.chroma import VectorsDamaged
from rag.index.chroma_place import ChromaPlace, read_state, require_unchanged
from rag.index.chroma_vectors import open_vectors
from rag.index.chroma_write import needs_write, write_all
from rag.index.collection_rows import CollectionRow
from rag.index.collection_store import Store
from rag.index.document_rows import DocumentRows
from rag.index.lexical import LexicalTable
from rag.index.local_store import LocalStore
from rag.index.lock import lock_path, write_lock
from rag.index.names import store_names, wrongly_named
from rag.index.terms import TERMS_VERSION
from rag.ingest.staleness import staleness
from state.counting import many
from state.errors import CragError, StorageError, StoreBusyError
from state.sqlite_file import error_code, transaction

if TYPE_CHECKING:
    from rag.index.postgres.store import PostgresStore


def check_collections(home: Path, embedder: EmbedderIdentity) -> Iterator[Check]:
    """Looks at every collection of the home; a lock held by a writer is no fault."""
    for name in LocalStore(home).names():
        with opened(home) as connection:
            row = collection_rows.find(connection, name)
            if row is None:
                continue
            yield from _check_embedder(name, row.embedder, embedder)
            yield _names(connection, row)
            lexical = _lexical(connection, row)
            if not lexical.ok:
                # The next ingest, which may be what mends the documents, builds it again too.
                with suppress(sqlite3.OperationalError), transaction(connection):
                    collection_rows.forget_terms(connection, row.id)
            yield lexical
            vectors = _vectors(connection, row, _place(home, row))
            yield vectors if vectors.ok else _unless_written(vectors, lock_path(home, name))
        yield _check_files(LocalStore(home), name)


def _check_embedder(name: str, used: EmbedderIdentity, named: EmbedderIdentity) -> Iterator[Check]:
    """Only where the collection was embedded by another than the settings name."""
    if used != named:
        yield ill(
            f"{name}: embedder",
            f"embedded by {used}, the settings name {named}",
            f"Choose that embedder, or `crag collections delete {name}` and ingest again",
        )


def _check_files(store: Store, name: str) -> Check:
    stale = staleness(store, name)
    return well(f"{name}: files", stale.line or f"{many(stale.checked, 'file')} as indexed")


def repair_collections(home: Path, report: Callable[[str], None]) -> None:
    """Rebuild what is not well from the catalog, without a model; sweep out what is left over.

    Raises:
        StoreBusyError: an ingest is at work.
        StorageError: the catalog itself is damaged, or the disk full.
    """
    names = LocalStore(home).names()
    kept: set[str] = set()
    for name in names:
        with write_lock(lock_path(home, name)), opened(home) as connection:
            row = collection_rows.find(connection, name)
            if row is None:
                continue
            kept.add(row.uid)
            if wrong := wrongly_named(connection, row.id):
                report(f"{name}: naming {many(len(wrong), 'document')} again")
                with transaction(connection):
                    for number, source, title in wrong:
                        store_names(connection, number, source, title)
            if not _lexical(connection, row).ok:
                report(f"{name}: building the lexical index again")
                rows = DocumentRows(connection, row.id)
                with transaction(connection):
                    rows.rebuild_lexical()
            place = _place(home, row)
            sound = _vectors(connection, row, place).ok
            if not sound or needs_write(connection, place):
                report(f"{name}: building the vectors again")
                write_all(connection, place, report, again=True)
            shutil.rmtree(home / "spool" / lock_path(home, name).stem, ignore_errors=True)
    folder = home / "vectors"
    for orphan in folder.iterdir() if names and folder.is_dir() else ():
        if orphan.name not in kept:
            report(f"removing the vectors of a deleted collection ({orphan.name})")
            shutil.rmtree(orphan, ignore_errors=True)


def check_store(store: PostgresStore, embedder: EmbedderIdentity) -> Iterator[Check]:
    """Looks only: the server, the replica, and every collection's rows against its totals."""
    try:
        yield well("store", store.about())
        for each in store.summaries():
            yield from _check_embedder(each.name, each.embedder, embedder)
            if wrong := store.differences(each.name):
                yield ill(f"{each.name}: rows", "; ".join(wrong), REPAIR)
            else:
                yield well(f"{each.name}: rows", many(each.chunks, "chunk"))
            yield _check_files(store, each.name)
    except CragError as error:
        yield ill("store", error.message, error.hint)


def repair_store(store: PostgresStore, report: Callable[[str], None]) -> None:
    """Builds again, from the stored text, the lexical index of a collection that is not well.

    Raises:
        StoreBusyError: an ingest is at work.
    """
    for name in store.names():
        if store.differences(name):
            report(f"{name}: building the lexical index again")
            store.rebuild(name)


def _names(connection: sqlite3.Connection, row: CollectionRow) -> Check:
    part = f"{row.name}: names"
    with reading(connection):
        wrong = wrongly_named(connection, row.id)
    if wrong:
        return ill(part, f"{many(len(wrong), 'document')} not called what they are", REPAIR)
    return well(part, "as the documents are called")


def _lexical(connection: sqlite3.Connection, row: CollectionRow) -> Check:
    part = f"{row.name}: lexical index"
    table = LexicalTable(connection, row.id)
    try:
        with reading(connection):
            indexed = table.size()
            (chunks,) = connection.execute(
                "SELECT count(*) FROM chunks JOIN documents ON documents.id = chunks.document_id"
                " WHERE collection_id = ?",
                (row.id,),
            ).fetchone()
        table.check()
    except sqlite3.DatabaseError as error:
        code = error_code(error)
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return well(part, "not looked at: an ingest is at work")
        if code != sqlite3.SQLITE_READONLY:  # FTS5's check is a write
            return ill(part, str(error), REPAIR)
    if row.terms_version != TERMS_VERSION:
        return ill(part, "built by another version, or left half-built", REPAIR)
    if indexed != chunks:
        return ill(part, f"holds {indexed:,} of {chunks:,} chunks", REPAIR)
    return well(part, many(indexed, "chunk"))


def _vectors(connection: sqlite3.Connection, row: CollectionRow, place: ChromaPlace) -> Check:
    part = f"{row.name}: vectors"
    state = read_state(connection, place)
    if state is None and not needs_write(connection, place):
        return well(part, "none yet")
    if state is None or not state.current:
        return well(part, "behind the catalog, which is searched instead until the next ingest")
    try:
        if place.url is None:
            require_unchanged(place.root / state.generation, state.files)
        if place.url is not None or os.access(place.root / state.generation, os.W_OK):
            open_vectors(place, state).close()
    except VectorsDamaged as error:
        return ill(part, f"damaged: {error}", REPAIR)
    except CragError as error:
        return ill(part, error.message, error.hint)
    return well(part, "in Chroma")


def _unless_written(found: Check, lock: Path) -> Check:
    """What was found, unless another process is at work on it."""
    try:
        with write_lock(lock):
            return found
    except StoreBusyError:
        return well(found.part, "being written")
    except StorageError:  # read-only: nobody writes
        return found


def _place(home: Path, row: CollectionRow) -> ChromaPlace:
    return ChromaPlace(home, row.id, row.uid, row.embedder)
