"""What a collection holds, without opening it for search: for status and dry runs."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rag.embed.protocol import EmbedderIdentity
from rag.index import collection_rows, document_rows, file_rows
from rag.index.catalog import catalog_path, connect, mapped_errors, reading
from rag.index.codec import decode_path
from rag.index.protocol import FileMark, IndexedDocument, UnreadFile
from state.errors import NoIndexError

FileTime = tuple[str, int, int, int]
"""A path with the size, mtime_ns and changed_ns of its file when it was read."""


@dataclass(frozen=True, slots=True)
class Inventory:
    """One moment of a collection. `roots` are the ingested folders and files."""

    name: str
    embedder: EmbedderIdentity
    documents: list[IndexedDocument]
    marks: list[FileMark]
    unread: list[UnreadFile]
    roots: list[str]

    @property
    def chunk_count(self) -> int:
        return sum(document.chunk_count for document in self.documents)


def collection_names(home: Path) -> list[str]:
    """The collections of this home, sorted; none when nothing was ingested."""
    try:
        connection = connect(home)
    except NoIndexError:
        return []
    with closing(connection), mapped_errors(catalog_path(home)):
        rows = connection.execute("SELECT name FROM collections ORDER BY name").fetchall()
    return [row[0] for row in rows]


def read_inventory(home: Path, name: str) -> Inventory | None:
    """The collection of this name, or None.

    Raises:
        StorageError: the catalog cannot be read.

    """
    try:
        connection = connect(home)
    except NoIndexError:
        return None
    with closing(connection), mapped_errors(catalog_path(home)), reading(connection):
        row = collection_rows.find(connection, name)
        if row is None:
            return None
        roots = connection.execute(
            "SELECT path FROM roots WHERE collection_id = ? ORDER BY path", (row.id,)
        ).fetchall()
        return Inventory(
            row.name,
            row.embedder,
            document_rows.visible_documents(connection, row.id),
            file_rows.file_marks(connection, row.id),
            file_rows.unread(connection, row.id),
            [decode_path(path) for (path,) in roots],
        )


@dataclass(frozen=True, slots=True)
class CollectionSummary:
    """Totals of a collection, counted by the catalog; `failed` and `skipped` are files."""

    name: str
    embedder: EmbedderIdentity
    documents: int
    chunks: int
    characters: int
    failed: int
    skipped: int
    roots: list[str]


def summaries(home: Path) -> list[CollectionSummary]:
    """Every collection of this home, by name; none when nothing was ingested."""
    found = []
    try:
        connection = connect(home)
    except NoIndexError:
        return []
    with closing(connection), mapped_errors(catalog_path(home)), reading(connection):
        for (name,) in connection.execute("SELECT name FROM collections ORDER BY name").fetchall():
            row = collection_rows.find(connection, name)
            assert row is not None
            documents, chunks = document_rows.totals(connection, row.id)
            (characters,) = connection.execute(
                "SELECT coalesce(sum(characters), 0) FROM documents"
                " WHERE collection_id = ? AND visible = 1",
                (row.id,),
            ).fetchone()
            failed, skipped = connection.execute(
                "SELECT coalesce(sum(failed), 0), coalesce(sum(1 - failed), 0) FROM unread"
                " WHERE collection_id = ?",
                (row.id,),
            ).fetchone()
            roots = connection.execute(
                "SELECT path FROM roots WHERE collection_id = ? ORDER BY path", (row.id,)
            ).fetchall()
            names = [decode_path(path) for (path,) in roots]
            found.append(
                CollectionSummary(
                    name, row.embedder, documents, chunks, characters, failed, skipped, names
                )
            )
    return found


def require_inventory(home: Path, name: str) -> Inventory:
    """As `read_inventory`.

    Raises:
        NoIndexError: nothing was ingested.
        UsageError: there is no collection of this name; names the nearest.

    """
    found = read_inventory(home, name)
    if found is None:
        with closing(connect(home)) as connection, mapped_errors(catalog_path(home)):
            collection_rows.require(connection, name)
        raise AssertionError
    return found


def file_times(home: Path, name: str, most: int) -> tuple[int, list[FileTime]]:
    """How many files are indexed, and `most` of them, the last first.

    Raises:
        NoIndexError: nothing was ingested.
        StorageError: the catalog cannot be read.

    """
    with closing(connect(home)) as connection, mapped_errors(catalog_path(home)):
        condition = (
            " FROM documents WHERE visible = 1 AND path IS NOT NULL"
            " AND collection_id = (SELECT id FROM collections WHERE name = ?)"
        )
        (files,) = connection.execute("SELECT count(*)" + condition, (name,)).fetchone()
        rows = connection.execute(
            f"SELECT path, size, mtime_ns, changed_ns{condition} ORDER BY id DESC LIMIT ?",
            (name, most),
        ).fetchall()
    return files, [(decode_path(path), *rest) for path, *rest in rows]
