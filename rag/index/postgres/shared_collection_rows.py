"""Collections of a shared store as rows: finding one, creating one."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rag.embed.protocol import EmbedderIdentity
from rag.index.collection_rows import no_such_collection
from rag.index.terms import TERMS_VERSION

if TYPE_CHECKING:
    import psycopg

_COLUMNS = (
    "id, name, uid, embedder, dimension, embedder_version, terms_version, revision, documents,"
    " chunks, characters, terms, next_document, next_chunk"
)


@dataclass(frozen=True, slots=True)
class StoredCollection:
    """A collection and its totals at one moment. `terms` counts all terms of all chunks;
    `next_document` and `next_chunk` are the numbers that the next ones get.
    """

    id: int
    name: str
    uid: str
    embedder: EmbedderIdentity
    terms_version: str
    revision: int
    documents: int
    chunks: int
    characters: int
    terms: int
    next_document: int
    next_chunk: int


def find(db: psycopg.Connection[Any], name: str) -> StoredCollection | None:
    found = db.execute(
        f"SELECT {_COLUMNS} FROM collections WHERE name = %s",
        (name,),
    ).fetchone()
    return None if found is None else _collection(found)


def every(db: psycopg.Connection[Any]) -> list[StoredCollection]:
    """By name."""
    rows = db.execute(f"SELECT {_COLUMNS} FROM collections ORDER BY name")
    return [_collection(row) for row in rows]


def require(db: psycopg.Connection[Any], name: str) -> StoredCollection:
    """The collection of this name, which may be empty.

    Raises:
        NoIndexError: there is none at all.
        UsageError: there are others; names the nearest.
    """
    found = find(db, name)
    if found is None:
        raise no_such_collection(name, [each.name for each in every(db)])
    return found


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


def _collection(row: tuple[Any, ...]) -> StoredCollection:
    number, name, uid, embedder, dimension, release, *rest = row
    return StoredCollection(
        number, name, uid, EmbedderIdentity(embedder, dimension, release), *rest
    )
