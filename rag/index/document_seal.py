"""What a document was when it was shown, as a number that any damage to its rows changes.

SQLite keeps no checksums of what it stores: a flipped bit of a text, a line number or a vector
is read back as if it had been written.
"""

from __future__ import annotations

import shlex
import sqlite3
import zlib
from collections.abc import Collection
from contextlib import closing, suppress
from pathlib import Path

from rag.index.catalog import connect, rows_of_many
from rag.index.codec import block_row, decode_path
from state.errors import CragError
from state.sqlite_file import transaction

_DOCUMENT = (
    "SELECT source, title, format, warnings, recognized, chunk_count, characters FROM documents"
    " WHERE id = :id"
)
_BLOCKS = "SELECT data FROM blocks WHERE id >= :first AND id < :end ORDER BY id"
_CHUNKS = """
SELECT id, key, start_char, end_char, start_line, end_line, page, heading, blocks, anchor,
  text_hash, vector
FROM chunks JOIN vectors ON vectors.chunk_id = chunks.id WHERE document_id = :id ORDER BY id
"""


def seal(connection: sqlite3.Connection, document_id: int) -> None:
    """Notes what is stored of a document; inside the transaction that wrote it."""
    connection.execute(
        "UPDATE documents SET seal = ? WHERE id = ?",
        (_digest(connection, document_id), document_id),
    )


def is_damaged(connection: sqlite3.Connection, document_id: int) -> bool:
    """Whether anything stored of a document is not what was written."""
    (sealed,) = connection.execute(
        "SELECT seal FROM documents WHERE id = ?", (document_id,)
    ).fetchone()
    try:
        return bool(_digest(connection, document_id) != sealed)
    except UnicodeError:
        return True
    except sqlite3.OperationalError as error:
        if "UTF-8" in str(error):  # a text column that is none any more
            return True
        raise


def damaged_documents(connection: sqlite3.Connection, collection_id: int) -> dict[int, str]:
    """Row and source of those whose rows are not what was written: everything of the collection is
    read.
    """
    documents = connection.execute(
        "SELECT id, source FROM documents WHERE collection_id = ?", (collection_id,)
    ).fetchall()
    return {row: decode_path(source) for row, source in documents if is_damaged(connection, row)}


def have_read_again(connection: sqlite3.Connection, documents: Collection[int]) -> None:
    """The next ingest takes their files for changed, their vectors for new; in a transaction."""
    for number in documents:
        connection.execute(
            "UPDATE documents SET size = -1, content_hash = '' WHERE id = ?", (number,)
        )
        connection.execute(
            "UPDATE vectors SET text_hash = 0"
            " WHERE chunk_id IN (SELECT id FROM chunks WHERE document_id = ?)",
            (number,),
        )


def note_damage(home: Path, document_id: int) -> None:
    """As `have_read_again`, for a reader that met the damage; doctor will where it cannot."""
    with (
        suppress(CragError, sqlite3.Error),
        closing(connect(home)) as connection,
        transaction(connection),
    ):
        have_read_again(connection, [document_id])


def repair_hint(connection: sqlite3.Connection, documents: Collection[int]) -> str:
    """What has their files read again, once they are marked."""
    query = "SELECT DISTINCT root FROM documents WHERE id IN ({some}) AND root IS NOT NULL"
    found = rows_of_many(connection, query, list(documents))
    roots = {shlex.quote(decode_path(root)) for (root,) in found}
    return f"crag ingest {' '.join(sorted(roots)) or 'PATH'}"


def _digest(connection: sqlite3.Connection, document_id: int) -> int:
    found = 0
    blocks = (block_row(document_id, 0), block_row(document_id + 1, 0))
    for query, values in (
        (_DOCUMENT, (document_id,)),
        (_BLOCKS, blocks),
        (_CHUNKS, (document_id,)),
    ):
        for *plain, last in connection.execute(query, values):
            found = zlib.crc32(repr(plain).encode("utf-8", "surrogatepass"), found)
            data = last if isinstance(last, bytes) else repr(last).encode()
            found = zlib.crc32(data, found)
    return found
