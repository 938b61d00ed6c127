"""Collections of a shared store as rows: finding one, creating one."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rag.embed.protocol import EmbedderIdentity
from rag.index.collection_rows import CollectionRow, find_as, require_as
from rag.index.terms import TERMS_VERSION
from state.postgres import Worded

if TYPE_CHECKING:
    import psycopg


@dataclass(frozen=True, slots=True)
class StoredCollection(CollectionRow):
    """A collection and its totals at one moment. `terms` counts all terms of all chunks;
    `next_document` and `next_chunk` are the numbers that the next ones get.
    """

    columns: ClassVar[str] = (
        CollectionRow.columns + ", documents, chunks, terms, next_document, next_chunk"
    )

    documents: int
    chunks: int
    terms: int
    next_document: int
    next_chunk: int


def find(db: psycopg.Connection[Any], name: str) -> StoredCollection | None:
    return find_as(StoredCollection, Worded(db), name)


def require(db: psycopg.Connection[Any], name: str) -> StoredCollection:
    """As `rag.index.collection_rows.require_row`."""
    return require_as(StoredCollection, Worded(db), name)


def create(
    db: psycopg.Connection[Any], name: str, embedder: EmbedderIdentity, uid: str | None = None
) -> StoredCollection:
    """A new collection, or the one that took the name a moment before; in a transaction of the
    caller, who holds its lock.
    """
    db.execute(
        "INSERT INTO collections (name, uid, embedder, dimension, embedder_version, terms_version)"
        " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (name) DO NOTHING",
        (
            name,
            uid or uuid.uuid4().hex,
            embedder.name,
            embedder.dimension,
            embedder.version,
            TERMS_VERSION,
        ),
    )
    made = require(db, name)
    db.execute("SELECT make_vectors(%s)", (made.id,))
    return made
