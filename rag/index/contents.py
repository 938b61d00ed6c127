"""What a collection holds, read in the same words from the catalog and from a shared store."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from rag.embed.protocol import EmbedderIdentity
from rag.index.codec import decode_path, encode_path
from rag.index.protocol import FileMark, FileStat, IndexedDocument, UnreadFile

if TYPE_CHECKING:
    from rag.index.collection_rows import CollectionRow

COLUMNS = (
    "source, path, root, size, mtime_ns, changed_ns, content_hash, title, format, chunk_count,"
    " characters, warnings, recognized"
)


class Sql(Protocol):
    """A connection that takes SQLite's words: the catalog's own, or `state.postgres.Worded`."""

    def execute(self, sql: str, values: Any = (), /) -> Any: ...


class IngestedRoot(NamedTuple):
    """A folder or file that was ingested, with its recorded options; `here`: on this machine."""

    path: str
    options: str
    here: bool = True


@dataclass(frozen=True, slots=True)
class Inventory:
    """One moment of a collection. `roots` are the ingested folders and files, sorted."""

    name: str
    embedder: EmbedderIdentity
    documents: list[IndexedDocument]
    unread: list[UnreadFile]
    roots: list[str]

    @property
    def chunk_count(self) -> int:
        return sum(document.chunk_count for document in self.documents)

    @property
    def marks(self) -> list[FileMark]:
        """Of the documents that are files."""
        return [
            FileMark(each.path, each.root, each.source, each.stat, each.content_hash)
            for each in self.documents
            if each.path is not None
        ]


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


class Contents:
    """Those of one collection, as its own store tells of them."""

    def __init__(self, sql: Sql, row: CollectionRow) -> None:
        self._sql = sql
        self._row = row

    @property
    def uid(self) -> str:
        """Tells the collection and its copies from another of the same name."""
        return self._row.uid

    def roots(self) -> dict[str, str]:
        """The ingested folders, each with the options it was last ingested with."""
        return roots(self._sql, self._row.id)

    def unread(self) -> list[UnreadFile]:
        """The files remembered as unreadable, in no order."""
        return unread(self._sql, self._row.id)


def documents(db: Sql, collection_id: int, source: str | None = None) -> list[IndexedDocument]:
    """All of a collection's documents that a reader may see, or the one of this source."""
    condition = "" if source is None else " AND source = ?"
    rows = db.execute(
        f"SELECT {COLUMNS} FROM documents WHERE collection_id = ? AND visible = 1{condition}",
        (collection_id,) if source is None else (collection_id, encode_path(source)),
    )
    return [_document(row) for row in rows]


def names(
    db: Sql, collection_id: int, most: int, is_chosen: Callable[[str], bool] | None
) -> list[str]:
    """The titles of at most so many documents, or of chosen ones, by source; the source where there
    is no title.
    """
    rows = db.execute(
        "SELECT source, title FROM documents WHERE collection_id = ? AND visible = 1"
        " ORDER BY source LIMIT ?",
        (collection_id, most if is_chosen is None else 2**31),
    )
    found = ((decode_path(source), title) for source, title in rows)
    chosen = (title or source for source, title in found if is_chosen is None or is_chosen(source))
    return list(islice(chosen, most))


def number_of(db: Sql, collection_id: int, source: str) -> int | None:
    """The row of a collection's visible document of this source."""
    row = db.execute(
        "SELECT id FROM documents WHERE collection_id = ? AND source = ? AND visible = 1",
        (collection_id, encode_path(source)),
    ).fetchone()
    return None if row is None else int(row[0])


def totals(db: Sql, collection_id: int) -> tuple[int, int, int]:
    """How many documents, chunks and characters are visible, counted."""
    documents, chunks, characters = db.execute(
        "SELECT count(*), coalesce(sum(chunk_count), 0), coalesce(sum(characters), 0)"
        " FROM documents WHERE collection_id = ? AND visible = 1",
        (collection_id,),
    ).fetchone()
    return documents, chunks, characters


def file_marks(db: Sql, collection_id: int) -> list[FileMark]:
    """What a sync compares, of all documents that are files."""
    rows = db.execute(
        "SELECT path, root, source, content_hash, size, mtime_ns, changed_ns FROM documents"
        " WHERE collection_id = ? AND visible = 1 AND path IS NOT NULL",
        (collection_id,),
    )
    marks = []
    for path, root, source, content_hash, *stat in rows:
        place = decode_path(path), None if root is None else decode_path(root), decode_path(source)
        marks.append(FileMark(*place, FileStat(*stat), content_hash))
    return marks


def file_stats(db: Sql, collection_id: int) -> dict[str, FileStat]:
    """Of all visible documents that are files, by path. Read by the thousand in every ingest."""
    rows = db.execute(
        "SELECT path, size, mtime_ns, changed_ns FROM documents"
        " WHERE collection_id = ? AND visible = 1 AND path IS NOT NULL",
        (collection_id,),
    )
    return {decode_path(path): FileStat(*stat) for path, *stat in rows}


def unread(db: Sql, collection_id: int) -> list[UnreadFile]:
    rows = db.execute(
        "SELECT path, reason, failed, size, mtime_ns, changed_ns FROM unread"
        " WHERE collection_id = ?",
        (collection_id,),
    )
    return [
        UnreadFile(decode_path(path), FileStat(*stat), reason, bool(failed))
        for path, reason, failed, *stat in rows
    ]


def roots(db: Sql, collection_id: int) -> dict[str, str]:
    """What was ingested, by path, each with its options."""
    rows = db.execute(
        "SELECT path, options FROM roots WHERE collection_id = ? ORDER BY path", (collection_id,)
    )
    return {decode_path(path): options for path, options in rows}


def place_of(document: IndexedDocument) -> tuple[bytes | None, bytes | None, int, int, int]:
    """Path, root, size and times, as their columns keep them."""
    both = document.path, document.root
    path, root = (None if each is None else encode_path(each) for each in both)
    return path, root, *document.stat


def _document(row: Sequence[Any]) -> IndexedDocument:
    """`row` has COLUMNS."""
    source, path, root, size, mtime_ns, changed_ns, content_hash, *rest = row
    title, kind, chunks, characters, warnings, recognized = rest
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
        recognized=() if recognized == "[]" else tuple(map(tuple, json.loads(recognized))),
    )
