"""Collections as rows: finding one, creating one, and whether an embedder fits it."""

from __future__ import annotations

import sqlite3
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from rag.embed.protocol import EmbedderIdentity
from rag.index.contents import Sql
from rag.index.lexical import LexicalTable
from rag.index.terms import TERMS_VERSION
from state.choices import DEFAULT_COLLECTION
from state.errors import CragError, EmbedderMismatchError, NoIndexError, UsageError
from state.nearest import nearest_and_count


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """`uid` tells a collection from a later one of the same name; `revision` counts writes."""

    columns: ClassVar[str] = (
        "id, name, uid, embedder, dimension, embedder_version, terms_version, revision"
    )

    id: int
    name: str
    uid: str
    embedder: EmbedderIdentity
    terms_version: str
    revision: int


Row = TypeVar("Row", bound=CollectionRow)


def find(sql: Sql, name: str) -> CollectionRow | None:
    return find_as(CollectionRow, sql, name)


def find_as(kind: type[Row], sql: Sql, name: str) -> Row | None:
    row = sql.execute(f"SELECT {kind.columns} FROM collections WHERE name = ?", (name,)).fetchone()
    if row is None:
        return None
    number, name, uid, embedder, dimension, release, *rest = row
    return kind(number, name, uid, EmbedderIdentity(embedder, dimension, release), *rest)


def names(sql: Sql) -> list[str]:
    """Sorted."""
    return [row[0] for row in sql.execute("SELECT name FROM collections ORDER BY name").fetchall()]


def require(connection: sqlite3.Connection, name: str) -> CollectionRow:
    """The collection of this name, with something in it to find.

    Raises:
        NoIndexError: nothing was ever ingested, or nothing that held text.
        UsageError: other collections exist, this one does not.
    """
    found = require_row(connection, name)
    any_chunk = connection.execute(
        "SELECT 1 FROM documents WHERE collection_id = ? AND chunk_count > 0 LIMIT 1",
        (found.id,),
    ).fetchone()
    if any_chunk is None:
        raise no_text(name)
    return found


def require_again(connection: sqlite3.Connection, name: str) -> CollectionRow:
    """As `require`, for whoever has read one of this name.

    Raises:
        NoIndexError: it was deleted, or holds no text any more.
    """
    if find(connection, name) is None:
        raise deleted(name)
    return require(connection, name)


def require_row(sql: Sql, name: str) -> CollectionRow:
    """The collection of this name, which may be empty. Raises as `require`."""
    return require_as(CollectionRow, sql, name)


def require_as(kind: type[Row], sql: Sql, name: str) -> Row:
    found = find_as(kind, sql, name)
    if found is None:
        raise no_such_collection(name, names(sql))
    return found


def no_such_collection(name: str, others: Sequence[str]) -> CragError:
    """What is said of a name that none of these collections has."""
    if not others:
        return nothing_ingested()
    if name == DEFAULT_COLLECTION:  # nobody need have named it
        hint = f"{nearest_and_count('', others)} Name one with -c NAME."
    else:
        hint = nearest_and_count(name, others)
    return UsageError(f"There is no collection {name!r}.", hint)


def nothing_ingested() -> NoIndexError:
    return NoIndexError("Nothing was ingested yet.", "Run `crag ingest PATH` first.")


def deleted(name: str) -> NoIndexError:
    """What is said to whoever reads a collection that is no longer there."""
    return NoIndexError(f"The collection {name!r} was deleted.", "Run `crag ingest PATH` again.")


def no_text(name: str) -> NoIndexError:
    return NoIndexError(
        f"The collection {name!r} holds no text yet.", "Run `crag ingest PATH` first."
    )


def create(
    connection: sqlite3.Connection, name: str, embedder: EmbedderIdentity, uid: str | None = None
) -> CollectionRow:
    """A new collection with its lexical index; inside a transaction of the caller."""
    by = embedder.name, embedder.dimension, embedder.version
    connection.execute(
        "INSERT INTO collections (name, uid, embedder, dimension, embedder_version,"
        " terms_version, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (name, uid or uuid.uuid4().hex, *by, TERMS_VERSION, time.time()),
    )
    made = find(connection, name)
    assert made is not None
    LexicalTable(connection, made.id).create()
    return made


def check_embedder(name: str, stored: EmbedderIdentity, embedder: EmbedderIdentity) -> None:
    """Vectors of two embedders cannot be compared.

    Raises:
        EmbedderMismatchError: with the command that mends it.
    """
    if stored != embedder:
        raise EmbedderMismatchError(
            f"The collection {name!r} was embedded by {stored}, not by {embedder}.",
            f"Choose that embedder, or start over: `crag collections delete {name}`,"
            " then `crag ingest`.",
        )


def mark_changed(connection: sqlite3.Connection, collection_id: int) -> None:
    connection.execute(
        "UPDATE collections SET revision = revision + 1 WHERE id = ?", (collection_id,)
    )


def forget_terms(connection: sqlite3.Connection, collection_id: int) -> None:
    """The lexical index must be built again; until then it may name chunks that are gone."""
    connection.execute("UPDATE collections SET terms_version = '' WHERE id = ?", (collection_id,))
