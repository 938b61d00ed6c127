"""What a collection holds, read in the same words from the catalog and from a shared store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rag.embed.protocol import EmbedderIdentity
from rag.index.codec import decode_path, encode_path
from rag.index.collection_rows import CollectionRow
from rag.index.protocol import FileStat, IndexedDocument, UnreadFile
from state.database import Sql

COLUMNS = (
    "source, path, root, size, mtime_ns, changed_ns, content_hash, title, format, chunk_count,"
    " characters, warnings, recognized"
)


class IngestedRoot(NamedTuple):
    """A folder or file that was ingested, with its recorded options; `here`: on this machine."""

    path: str
    options: str
    here: bool = True


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
    """Those of one collection; in no order but where one is told."""

    def __init__(self, sql: Sql, row: CollectionRow) -> None:
        self._sql = sql
        self.row = row

    def _asked(self, query: str, *values: object) -> list[Any]:
        """The rows that `query` gives, whose first value is the collection's id."""
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

    def unread(self) -> list[UnreadFile]:
        """The files remembered as unreadable."""
        rows = self._asked(
            "SELECT path, reason, failed, size, mtime_ns, changed_ns FROM unread"
            " WHERE collection_id = $1"
        )
        return [
            UnreadFile(decode_path(path), FileStat(*stat), reason, bool(failed))
            for path, reason, failed, *stat in rows
        ]

    def roots(self) -> dict[str, str]:
        """The ingested folders and files, by path, each with the options of its last ingest."""
        rows = self._asked("SELECT path, options FROM roots WHERE collection_id = $1 ORDER BY path")
        return {decode_path(path): options for path, options in rows}


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
