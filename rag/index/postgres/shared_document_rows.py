"""Rows of a shared store as the server takes and gives them by the thousand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from rag.index.codec import encode_label
from state.postgres import value

if TYPE_CHECKING:
    import psycopg

    from rag.embed.protocol import Vectors

_COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_END = b"\xff\xff"


def label(text: str) -> str:
    """Words that a column of text takes."""
    return encode_label(text).replace("\0", "\ufffd")


@contextmanager
def copying(
    db: psycopg.Connection[Any], table: str, columns: str, form: str = ""
) -> Iterator[psycopg.Copy]:
    """Adds rows, much faster than inserting them; in a transaction of the caller. Under row-level
    security the server copies into no table but one's own: from that they are inserted.
    """
    guarded = value(db, "SELECT row_security_active(%s)", table)
    into = f"staged_{table}" if guarded else table
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
