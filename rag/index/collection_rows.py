"""Collections as rows of either database: finding one, creating one, whether an embedder fits it,
and what it holds.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rag.embed.builtin import builtin_embedder
from rag.embed.protocol import EmbedderIdentity
from rag.index.codec import decode_path, encode_path
from rag.index.protocol import FileStat, IndexedDocument, UnreadFile
from state.choices import DEFAULT_COLLECTION
from state.database import Sql
from state.errors import CragError, EmbedderMismatchError, NoIndexError, UsageError
from state.wording import did_you_mean

_SOME = 500
COLUMNS = (
    "source, path, root, size, mtime_ns, changed_ns, content_hash, title, format, chunk_count,"
    " characters, warnings"
)


def placeholders(count: int, after: int = 0) -> str:
    """`$n` for so many values of a statement, numbered on `after` others."""
    return ", ".join(f"${number}" for number in range(after + 1, after + count + 1))


def rows_of_many(sql: Sql, query: str, many: Sequence[object], *values: object) -> list[Any]:
    """The rows of `query` for `values` and for `many` others, which `{some}` stands for; they are
    asked for in batches of a bounded size.
    """
    found: list[Any] = []
    for first in range(0, len(many), _SOME):
        some = many[first : first + _SOME]
        marked = query.format(some=placeholders(len(some), len(values)))
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
    """The error for a name that no collection has; `others`: the names that there are."""
    if not others:
        return nothing_ingested()
    if name == DEFAULT_COLLECTION:  # nobody need have named it
        hint = f"{did_you_mean('', others)} Name one with -c NAME."
    else:
        hint = did_you_mean(name, others)
    return UsageError(f"There is no collection {name!r}.", hint)


def nothing_ingested() -> NoIndexError:
    return NoIndexError("Nothing was ingested yet.", "Run `crag ingest PATH` first.")


def get_or_create(sql: Sql, name: str) -> CollectionRow:
    """The collection of this name, created if need be; inside a transaction of the caller, who
    holds its lock.

    Raises:
        EmbedderMismatchError: it was embedded by another embedder.
    """
    row = find(sql, name)
    if row is None:
        embedder = builtin_embedder().identity
        by = embedder.name, embedder.dimension, embedder.version
        sql.execute(
            "INSERT INTO collections (name, uid, embedder, dimension, embedder_version)"
            " VALUES ($1, $2, $3, $4, $5)",
            (name, uuid.uuid4().hex, *by),
        )
        row = require(sql, name)
    check_embedder(row)
    return row


def check_embedder(row: CollectionRow) -> None:
    """Vectors of two embedders cannot be compared.

    Raises:
        EmbedderMismatchError: with the command that mends it.
    """
    if row.embedder != builtin_embedder().identity:
        raise EmbedderMismatchError(
            f"The collection {row.name!r} was embedded by {row.embedder},"
            f" not by {builtin_embedder().identity}.",
            f"Start over: `crag collections delete {row.name}`, then `crag ingest`.",
        )


def mark_changed(sql: Sql, collection_id: int) -> None:
    sql.execute("UPDATE collections SET revision = revision + 1 WHERE id = $1", (collection_id,))


@dataclass(frozen=True, slots=True)
class CollectionSummary:
    """Totals of a collection, counted by the store; `failed` and `skipped` are files."""

    name: str
    embedder: EmbedderIdentity
    documents: int
    chunks: int
    characters: int
    failed: int
    skipped: int
    roots: list[str]


class CollectionContents:
    """What one collection holds; in no particular order, unless a method says which."""

    def __init__(self, sql: Sql, row: CollectionRow) -> None:
        self._sql = sql
        self.row = row

    def _asked(self, query: str, *values: object) -> list[Any]:
        """The rows of `query`, whose value `$1` is the collection's id."""
        rows: list[Any] = self._sql.execute(query, (self.row.id, *values)).fetchall()
        return rows

    def documents(self) -> list[IndexedDocument]:
        rows = self._asked(f"SELECT {COLUMNS} FROM documents WHERE collection_id = $1")
        return list(map(_document, rows))

    def document(self, source: str) -> IndexedDocument | None:
        rows = self._asked(
            f"SELECT {COLUMNS} FROM documents WHERE collection_id = $1 AND source = $2",
            encode_path(source),
        )
        return _document(rows[0]) if rows else None

    def totals(self) -> tuple[int, int, int]:
        """How many documents, chunks and characters there are, counted."""
        ((documents, chunks, characters),) = self._asked(
            "SELECT count(*), coalesce(sum(chunk_count), 0), coalesce(sum(characters), 0)"
            " FROM documents WHERE collection_id = $1"
        )
        return documents, int(chunks), int(characters)  # of Postgres sums may be decimals

    def summary(self) -> CollectionSummary:
        failed = [file.failed for file in self.unread()]
        numbers = *self.totals(), sum(failed), len(failed) - sum(failed)
        return CollectionSummary(self.row.name, self.row.embedder, *numbers, list(self.roots()))

    def unread(self) -> list[UnreadFile]:
        rows = self._asked(
            "SELECT path, reason, failed, reading, size, mtime_ns, changed_ns FROM unread"
            " WHERE collection_id = $1 ORDER BY path"
        )
        return [
            UnreadFile(decode_path(path), FileStat(*stat), reason, bool(failed), reading)
            for path, reason, failed, reading, *stat in rows
        ]

    def newest_files(self, host: str, most: int) -> tuple[int, list[tuple[str, str, FileStat]]]:
        """How many files of a machine are indexed, and of the `most` newest, newest first, the
        path, the hash of the content and what was known of the file.
        """
        here = (
            " FROM documents LEFT JOIN roots ON roots.collection_id = documents.collection_id"
            " AND roots.path = root WHERE documents.collection_id = $1"
            " AND documents.path IS NOT NULL AND coalesce(roots.host, '') = $2"
        )
        stats = f"SELECT documents.path, content_hash, size, mtime_ns, changed_ns{here}"
        ((files,),) = self._asked(f"SELECT count(*){here}", host)
        rows = self._asked(f"{stats} ORDER BY documents.id DESC LIMIT $3", host, most)
        return files, [(decode_path(path), held, FileStat(*stat)) for path, held, *stat in rows]

    def roots(self, host: str | None = None) -> dict[str, str]:
        """The ingested folders and files, of one machine or of all, by path, each with the options
        of its last ingest.
        """
        rows = self._asked(
            "SELECT path, options, host FROM roots WHERE collection_id = $1 ORDER BY path"
        )
        return {decode_path(path): options for path, options, of in rows if host in (None, of)}


def _document(row: Sequence[Any]) -> IndexedDocument:
    """`row` has COLUMNS."""
    source, path, root, size, mtime_ns, changed_ns, content_hash, *rest = row
    title, kind, chunks, characters, warnings = rest
    return IndexedDocument(
        source=decode_path(source),
        path=None if path is None else decode_path(path),
        root=None if root is None else decode_path(root),
        stat=FileStat(size, mtime_ns, changed_ns),
        content_hash=content_hash,
        title=title,
        format=kind,
        chunk_count=chunks,
        characters=characters,
        warnings=tuple(json.loads(warnings)) if warnings != "[]" else (),
    )
