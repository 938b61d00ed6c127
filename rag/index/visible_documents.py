"""Documents read back from their rows: those that a reader may see."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from rag.index.codec import decode_path, encode_path
from rag.index.protocol import IndexedDocument

COLUMNS = (
    "source, path, root, size, mtime_ns, changed_ns, content_hash, title, format, chunk_count,"
    " characters, warnings, recognized"
)


def every(
    connection: sqlite3.Connection, collection_id: int, source: str | None = None
) -> list[IndexedDocument]:
    """All of a collection's documents, or the one of this source."""
    condition = "" if source is None else " AND source = ?"
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM documents WHERE collection_id = ? AND visible = 1{condition}",
        (collection_id,) if source is None else (collection_id, encode_path(source)),
    )
    return [document_of_row(row) for row in rows]


def number_of(connection: sqlite3.Connection, collection_id: int, source: str) -> int | None:
    """The row of a collection's visible document of this source."""
    row = connection.execute(
        "SELECT id FROM documents WHERE collection_id = ? AND source = ? AND visible = 1",
        (collection_id, encode_path(source)),
    ).fetchone()
    return None if row is None else int(row[0])


def of_number(connection: sqlite3.Connection, document_id: int) -> IndexedDocument:
    row = connection.execute(
        f"SELECT {COLUMNS} FROM documents WHERE id = ? AND visible = 1", (document_id,)
    ).fetchone()
    return document_of_row(row)


def totals(connection: sqlite3.Connection, collection_id: int) -> tuple[int, int]:
    """How many documents and chunks are visible."""
    row = connection.execute(
        "SELECT count(*), coalesce(sum(chunk_count), 0) FROM documents"
        " WHERE collection_id = ? AND visible = 1",
        (collection_id,),
    ).fetchone()
    return int(row[0]), int(row[1])


def document_of_row(row: Sequence[Any]) -> IndexedDocument:
    """`row` has COLUMNS, of the catalog or of a shared store."""
    source, path, root, size, mtime_ns, changed_ns, content_hash, *rest = row
    title, kind, chunks, characters, warnings, recognized = rest
    return IndexedDocument(
        source=decode_path(source),
        path=None if path is None else decode_path(path),
        root=None if root is None else decode_path(root),
        size=size,
        mtime_ns=mtime_ns,
        changed_ns=changed_ns,
        content_hash=content_hash,
        title=title,
        format=kind,
        chunk_count=chunks,
        characters=characters,
        warnings=tuple(json.loads(warnings)) if warnings != "[]" else (),
        recognized=() if recognized == "[]" else tuple(map(tuple, json.loads(recognized))),
    )
