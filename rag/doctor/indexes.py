"""Checks of each collection's lexical index and vectors against the catalog, and of a shared store.
Vectors that are found damaged are noted, so that the next ingest builds them again.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rag.embed.protocol import EmbedderIdentity
from rag.index import collection_rows
from rag.index.collection_rows import CollectionContents, CollectionRow
from rag.index.home.catalog import Catalog, check_lexical, let_index
from rag.index.home.chroma import VectorsDamaged
from rag.index.home.store import HomeStore
from rag.index.home.vectors import ChromaIndex
from rag.index.terms import TERMS_VERSION
from state.errors import CragError
from state.sqlite_file import error_code
from state.wording import many

_AGAIN = "crag ingest -c {}"
_ANEW = "crag collections delete {0}; then ingest its folders with -c {0}"


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check. `mend` is the command, or in words the deed, that mends a part that
    is not well, or improves one that is.
    """

    part: str
    detail: str
    mend: str | None = None
    ok: bool = True


def check_collections(
    home: Path, embedder: EmbedderIdentity, chroma_url: str | None = None
) -> Iterator[Check]:
    """Check every collection of the home; a lock held by a writer is no fault."""
    store = HomeStore(home, chroma_url)
    for name in store.names():
        with Catalog(home) as catalog, catalog.failures():
            connection = catalog.connected(write=False)
            let_index(connection)
            row = collection_rows.find(connection, name)
            if row is None:
                continue
            yield from _check_embedder(name, row.embedder, embedder)
            yield _lexical(connection, row)
            yield _vectors(row, store.chroma(connection, row))


def check_store(url: str, schema: str, embedder: EmbedderIdentity) -> Iterator[Check]:
    """Check the server of a shared store, and every collection's embedder."""
    from rag.index.postgres.store import PostgresStore
    from state.postgres import server_address

    held = PostgresStore(url, schema).summaries()
    count = many(len(held), "collection")
    yield Check("store", f"{server_address(url)} replies; schema {schema}, {count}")
    for each in held:
        yield from _check_embedder(each.name, each.embedder, embedder)


def _check_embedder(name: str, used: EmbedderIdentity, named: EmbedderIdentity) -> Iterator[Check]:
    """A failed check if the collection was embedded by another embedder than the current one."""
    if used != named:
        detail = f"embedded by {used}, which is {named} now"
        yield Check(f"{name}: embedder", detail, _ANEW.format(name), ok=False)


def _lexical(connection: sqlite3.Connection, row: CollectionRow) -> Check:
    part, mending = f"{row.name}: lexical index", _AGAIN.format(row.name)
    try:
        check_lexical(connection, row.id)
    except sqlite3.DatabaseError as error:
        code = error_code(error)
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return Check(part, "not looked at: an ingest is at work")
        if code != sqlite3.SQLITE_READONLY:  # FTS5's check is a write
            return Check(part, str(error), _ANEW.format(row.name), ok=False)
    if row.terms_version != TERMS_VERSION:
        return Check(part, "built by another version, or left half-built", mending, ok=False)
    return Check(part, many(CollectionContents(connection, row).totals()[1], "chunk"))


def _vectors(row: CollectionRow, index: ChromaIndex) -> Check:
    part = f"{row.name}: vectors"
    state = index.row()
    if state is None:
        return Check(part, "none yet; the catalog is searched")
    if not state.current:
        return Check(part, "behind the catalog, which is searched instead until the next ingest")
    try:
        index.require_unchanged(state)
        if index.url is not None or os.access(index.root / state.folder, os.W_OK):
            index.open(state).close()
    except VectorsDamaged as error:
        index.mark_damaged(state)
        return Check(part, f"damaged: {error}", _AGAIN.format(row.name), ok=False)
    except CragError as error:
        return Check(part, error.message, error.hint, ok=False)
    return Check(part, "in Chroma")
