"""Putting a collection's documents on the server that holds its vectors.

So any machine that reaches the server can ask: it copies the documents (`copying.py`) and
searches its copy. What is put there are the visible documents, once each; a killed publisher
leaves some of them without a seal, and the next ingest goes on.
"""

from __future__ import annotations

import hashlib
import sqlite3
import uuid
from collections.abc import Iterator

from rag.index import document_rows
from rag.index.catalog import reading
from rag.index.codec import decode_vectors
from rag.index.protocol import DocumentPart, IndexedDocument
from rag.index.sharing.record import pack_head, pack_part
from rag.index.sharing.shelf import own_shelf, whole_documents
from rag.index.texts import Texts
from rag.index.vector_sync import VectorPlace
from state.block_codec import decode_blocks
from state.documents import Chunk
from state.sqlite_file import transaction

_PART_CHUNKS = 200


def needs_publishing(connection: sqlite3.Connection, place: VectorPlace) -> bool:
    """Whether the collection was written to since it was published on the place's server."""
    row = connection.execute(
        "SELECT collections.revision, shares.revision FROM collections LEFT JOIN shares"
        " ON shares.collection_id = collections.id AND shares.store = ? WHERE collections.id = ?",
        (place.store, place.collection_id),
    ).fetchone()
    return row is not None and row[0] != row[1]


def publish(connection: sqlite3.Connection, place: VectorPlace, name: str) -> None:
    """Make the server's documents equal to the catalog's; the caller holds the lock.

    Raises:
        RemoteStoreError: the server cannot be reached or fails; the catalog is complete.

    """
    with reading(connection):
        (revision,) = connection.execute(
            "SELECT revision FROM collections WHERE id = ?", (place.collection_id,)
        ).fetchone()
        wanted = {
            _key(place.uid, number, source, title): number
            for number, source, title in connection.execute(
                "SELECT id, source, title FROM documents WHERE collection_id = ? AND visible = 1",
                (place.collection_id,),
            )
        }
        with own_shelf(place.store, name, place.uid, place.identity) as shelf:
            held = shelf.identifiers()
            whole = whole_documents(held)
            new = {key: number for key, number in wanted.items() if key not in whole}
            shelf.write(
                record
                for key, number in new.items()
                for record in _records(connection, key, number, place)
            )
            shelf.remove(each for each in held if each.partition(".")[0] not in wanted)
            shelf.seal(uuid.uuid4().hex)
    with transaction(connection):
        connection.execute(
            "INSERT OR REPLACE INTO shares (collection_id, store, revision) VALUES (?, ?, ?)",
            (place.collection_id, place.store, revision),
        )


def _key(uid: str, number: int, source: bytes, title: str | None) -> str:
    """Changes whenever a document is read again or renamed."""
    label = f"{uid}\0{number}\0{title or ''}\0".encode() + source
    return hashlib.blake2b(label, digest_size=16).hexdigest()


def _records(
    connection: sqlite3.Connection, key: str, number: int, place: VectorPlace
) -> Iterator[tuple[str, str]]:
    document = document_rows.visible_document(connection, number)
    count = 0
    for count, (context, part) in enumerate(_parts(connection, number, document, place), 1):
        yield f"{key}.{count - 1}", pack_part(context, part)
    yield key, pack_head(document, count)


def _parts(
    connection: sqlite3.Connection, number: int, document: IndexedDocument, place: VectorPlace
) -> Iterator[tuple[str, DocumentPart]]:
    """(what stands before the part and its chunks begin in, the part)."""
    texts = Texts(connection)
    rows = connection.execute(
        "SELECT start_char, end_char, start_line, end_line, page, heading, blocks, vector"
        " FROM chunks JOIN vectors ON vectors.chunk_id = chunks.id WHERE document_id = ?"
        " ORDER BY chunks.id",
        (number,),
    )
    position = 0
    while some := rows.fetchmany(_PART_CHUNKS):
        first = min(position, *(row[0] for row in some))
        last = len(some) < _PART_CHUNKS
        end = document.characters if last else max(position, *(row[1] for row in some))
        known = texts.span(number, first, end)
        chunks = [
            Chunk(
                "", document.source, document.title, page, start_line, end_line, start, stop,
                known[start - first : stop - first], heading,
                tuple(decode_blocks(blocks, start)) if blocks else (),
            )
            for start, stop, start_line, end_line, page, heading, blocks, _ in some
        ]  # fmt: skip
        vectors = decode_vectors([row[-1] for row in some], place.identity.dimension)
        split = position - first
        yield known[:split], DocumentPart(known[split:], chunks, vectors)
        position = end
    if position < document.characters:
        import numpy as np

        rest = texts.span(number, position, document.characters)
        nothing = np.zeros((0, place.identity.dimension), dtype=np.float32)
        yield "", DocumentPart(rest, [], nothing)
