"""Whether a collection is sound, part by part, and mending it without a model."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rag.index import collection_rows
from rag.index.catalog import catalog_path, connect, is_sound, mapped_errors, writing
from rag.index.lexical import LexicalTable
from rag.index.lock import WriteLock, lock_path
from rag.index.protocol import Notice
from rag.index.terms import TERMS_VERSION
from rag.index.vector_sync import VectorPlace, read_state, write_all
from rag.index.vectors import VectorsDamaged
from rag.index.writer import rebuild_lexical
from state.errors import CragError


@dataclass(frozen=True, slots=True)
class PartHealth:
    """One part's state in words; `repairable` by `repair_collection`."""

    part: str
    sound: bool
    words: str
    repairable: bool = False


def check_collection(home: Path, name: str, *, store: str | None = None) -> list[PartHealth]:
    """Catalog, lexical index and vectors of a collection, each as it is now.

    Raises:
        NoIndexError, UsageError: there is no such collection.
        StorageError: the catalog cannot be opened at all.

    """
    problems = is_sound(home)
    words = "; ".join(problems[:3]) or f"{catalog_path(home)} is sound"
    found = [PartHealth("catalog", not problems, words)]
    with closing(connect(home)) as connection, mapped_errors(catalog_path(home)):
        row = collection_rows.require(connection, name)
        found.append(_lexical(connection, row))
        found.append(
            _vectors(connection, VectorPlace(home, row.id, row.uid, row.embedder, store or ""))
        )
    return found


def repair_collection(
    home: Path, name: str, notice: Notice, *, store: str | None = None, wait: float = 0.0
) -> None:
    """Builds whatever is not sound again from the catalog's text and vectors.

    Raises:
        StoreBusyError: it is being written to.
        RemoteStoreError: the server cannot be reached.

    """
    with (
        WriteLock(lock_path(home, name), wait=wait),
        closing(connect(home)) as connection,
        mapped_errors(catalog_path(home)),
    ):
        row = collection_rows.require(connection, name)
        if not _lexical(connection, row).sound:
            with writing(connection):
                rebuild_lexical(connection, row.id)
            notice("The lexical index was built again from the catalog.")
        place = VectorPlace(home, row.id, row.uid, row.embedder, store or "")
        if not _vectors(connection, place).sound:
            write_all(connection, place, notice, again=True)


def _lexical(connection: sqlite3.Connection, row: collection_rows.CollectionRow) -> PartHealth:
    if row.terms_version != TERMS_VERSION:
        return PartHealth("lexical", sound=False, words="of another version", repairable=True)
    (chunks,) = connection.execute(
        "SELECT count(*) FROM chunks CROSS JOIN documents ON documents.id = chunks.document_id"
        " WHERE documents.collection_id = ?",
        (row.id,),
    ).fetchone()
    try:
        indexed = LexicalTable(connection, row.id).check()
    except sqlite3.DatabaseError as error:
        return PartHealth("lexical", sound=False, words=str(error), repairable=True)
    words = f"{indexed} of {chunks} chunks indexed"
    return PartHealth("lexical", indexed == chunks, words, repairable=indexed != chunks)


def _vectors(connection: sqlite3.Connection, place: VectorPlace) -> PartHealth:
    state = read_state(connection, place)
    if state is None:
        return PartHealth("vectors", sound=False, words="not built yet", repairable=True)
    if state.dirty:
        return PartHealth("vectors", sound=False, words="left half-written", repairable=True)
    try:
        place.open_sealed(state).close()
    except VectorsDamaged as error:
        return PartHealth("vectors", sound=False, words=str(error), repairable=True)
    except CragError as error:
        return PartHealth("vectors", sound=False, words=str(error))
    return PartHealth("vectors", sound=True, words=f"{state.count} vectors in Chroma")
