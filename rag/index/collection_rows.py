"""Collections as rows of either database: finding one, creating one, and whether an embedder fits
it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rag.embed.protocol import EmbedderIdentity
from rag.index.terms import TERMS_VERSION
from state.choices import DEFAULT_COLLECTION
from state.database import Sql
from state.errors import CragError, EmbedderMismatchError, NoIndexError, UsageError
from state.wording import did_you_mean

_SOME = 500


def marks(count: int, after: int = 0) -> str:
    """So many values of a statement, behind those that stand before them."""
    return ", ".join(f"${number}" for number in range(after + 1, after + count + 1))


def rows_of_many(sql: Sql, query: str, many: Sequence[object], *values: object) -> list[Any]:
    """The rows that `query` gives for `values` and so many others, which `{some}` stands for; a
    bounded number is asked for at a time.
    """
    found: list[Any] = []
    for first in range(0, len(many), _SOME):
        some = many[first : first + _SOME]
        marked = query.format(some=marks(len(some), len(values)))
        found += sql.execute(marked, (*values, *some)).fetchall()
    return found


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """`uid` tells a collection from a later one of the same name; `revision` counts writes."""

    id: int
    name: str
    uid: str
    embedder: EmbedderIdentity
    terms_version: str
    revision: int


def find(sql: Sql, name: str) -> CollectionRow | None:
    rows = sql.execute(
        "SELECT id, name, uid, embedder, dimension, embedder_version, terms_version, revision"
        " FROM collections WHERE name = $1",
        (name,),
    ).fetchall()
    if not rows:
        return None
    number, name, uid, embedder, dimension, release, *rest = rows[0]
    return CollectionRow(number, name, uid, EmbedderIdentity(embedder, dimension, release), *rest)


def names(sql: Sql) -> list[str]:
    """Sorted."""
    return [row[0] for row in sql.execute("SELECT name FROM collections ORDER BY name").fetchall()]


def require(sql: Sql, name: str) -> CollectionRow:
    """The collection of this name, which may be empty.

    Raises:
        NoIndexError: nothing was ever ingested.
        UsageError: other collections exist, this one does not.
    """
    found = find(sql, name)
    if found is None:
        raise no_such_collection(name, names(sql))
    return found


def no_such_collection(name: str, others: Sequence[str]) -> CragError:
    """What is said of a name that none of these collections has."""
    if not others:
        return nothing_ingested()
    if name == DEFAULT_COLLECTION:  # nobody need have named it
        hint = f"{did_you_mean('', others)} Name one with -c NAME."
    else:
        hint = did_you_mean(name, others)
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


def found_or_created(
    sql: Sql,
    name: str,
    embedder: EmbedderIdentity,
    prepare: Callable[[CollectionRow], None],
) -> CollectionRow:
    """The collection of this name, created if need be, then `prepare`d; inside a transaction of
    the caller, who holds its lock.

    Raises:
        EmbedderMismatchError: it was embedded by another embedder.
    """
    row = find(sql, name)
    if row is None:
        by = embedder.name, embedder.dimension, embedder.version
        sql.execute(
            "INSERT INTO collections (name, uid, embedder, dimension, embedder_version,"
            " terms_version) VALUES ($1, $2, $3, $4, $5, $6)",
            (name, uuid.uuid4().hex, *by, TERMS_VERSION),
        )
        row = require(sql, name)
        prepare(row)
    check_embedder(name, row.embedder, embedder)
    return row


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


def mark_changed(sql: Sql, collection_id: int) -> None:
    sql.execute("UPDATE collections SET revision = revision + 1 WHERE id = $1", (collection_id,))


def mark_terms(sql: Sql, collection_id: int, version: str = TERMS_VERSION) -> None:
    """Which terms the lexical index holds; "" has the next writer build it again."""
    sql.execute("UPDATE collections SET terms_version = $1 WHERE id = $2", (version, collection_id))
