"""Documents of a shared store as rows, there and back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.index.codec import decode_path, encode_label, encode_path
from rag.index.protocol import FileMark, IndexedDocument, UnreadFile
from rag.index.visible_documents import COLUMNS, document_of_row

if TYPE_CHECKING:
    import psycopg

    from rag.embed.protocol import Vectors

_COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_END = b"\xff\xff"


def label(text: str) -> str:
    """Words that a column of text takes."""
    return encode_label(text).replace("\0", "\ufffd")


def documents(
    db: psycopg.Connection[Any], collection_id: int, source: str | None = None
) -> list[IndexedDocument]:
    """All of a collection's documents, or the one of this source."""
    condition = "" if source is None else " AND source = %s"
    rows = db.execute(
        f"SELECT {COLUMNS} FROM documents WHERE collection_id = %s{condition}",
        (collection_id,) if source is None else (collection_id, encode_path(source)),
    )
    return [document_of_row(row) for row in rows]


@contextmanager
def copying(
    db: psycopg.Connection[Any], table: str, columns: str, form: str = ""
) -> Iterator[psycopg.Copy]:
    """Adds rows, much faster than inserting them; in a transaction of the caller. Under row-level
    security the server copies into no table but one's own: from that they are inserted.
    """
    guarded = db.execute("SELECT row_security_active(%s)", (table,)).fetchone()
    into = f"staged_{table}" if guarded and guarded[0] else table
    if into != table:
        db.execute(f"CREATE TEMP TABLE {into} AS SELECT {columns} FROM {table} WITH NO DATA")
    with db.cursor() as cursor, cursor.copy(f"COPY {into} ({columns}) FROM STDIN {form}") as copy:
        yield copy
    if into != table:
        db.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {into}")
        db.execute(f"DROP TABLE {into}")


def copy_rows(
    db: psycopg.Connection[Any], table: str, columns: str, rows: Collection[Sequence[Any]]
) -> None:
    if rows:
        with copying(db, table, columns) as copy:
            for row in rows:
                copy.write_row(row)


def copy_vectors(
    db: psycopg.Connection[Any], collection_id: int, first: int, vectors: Vectors
) -> None:
    """Adds the vectors of the chunks from `first` on, as halves in the server's own form."""
    dimension = vectors.shape[1]
    rows = np.zeros(
        len(vectors),
        dtype=[
            *(("fields", ">i2"), ("a", ">i4"), ("collection", ">i4"), ("b", ">i4")),
            *(("chunk", ">i4"), ("octets", ">i4"), ("dimension", ">i2"), ("unused", ">i2")),
            ("vector", ">f2", (dimension,)),
        ],
    )
    rows["fields"], rows["a"], rows["b"] = 3, 4, 4
    rows["collection"] = collection_id
    rows["chunk"] = np.arange(first, first + len(vectors))
    rows["octets"], rows["dimension"], rows["vector"] = 4 + 2 * dimension, dimension, vectors
    with copying(db, "vectors", "collection_id, chunk_id, vector", "(FORMAT BINARY)") as copy:
        copy.write(_COPY_HEADER + rows.tobytes() + _COPY_END)


def received(data: bytes) -> Vectors:
    """A vector as `halfvec_send` gives it, float32 of shape (dimension,)."""
    return np.frombuffer(data, dtype=">f2", offset=4).astype(np.float32)


def file_marks(
    db: psycopg.Connection[Any], collection_id: int, paths: Iterable[str] | None = None
) -> list[FileMark]:
    """What a sync compares, of all documents that are files, or of those at `paths`."""
    condition = "" if paths is None else " AND path = ANY(%s)"
    wanted = () if paths is None else ([encode_path(path) for path in paths],)
    rows = db.execute(
        "SELECT path, root, source, size, mtime_ns, changed_ns, content_hash FROM documents"
        f" WHERE collection_id = %s AND path IS NOT NULL{condition}",
        (collection_id, *wanted),
        binary=True,
    )
    return [
        FileMark(
            decode_path(path), None if root is None else decode_path(root), decode_path(source),
            *rest,
        )
        for path, root, source, *rest in rows
    ]  # fmt: skip


def roots(db: psycopg.Connection[Any], collection_id: int) -> dict[str, str]:
    """What was ingested, each path with its options, in order."""
    rows = db.execute(
        "SELECT path, options FROM roots WHERE collection_id = %s ORDER BY path", (collection_id,)
    )
    return {decode_path(path): options for path, options in rows}


def unread(db: psycopg.Connection[Any], collection_id: int) -> list[UnreadFile]:
    rows = db.execute(
        "SELECT path, size, mtime_ns, changed_ns, reason, failed FROM unread"
        " WHERE collection_id = %s",
        (collection_id,),
    )
    return [UnreadFile(decode_path(path), *rest) for path, *rest in rows]
