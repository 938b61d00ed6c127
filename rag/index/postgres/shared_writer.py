"""Writing a collection of a shared store."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.index.codec import encode_path, text_hash
from rag.index.collection_rows import check_embedder
from rag.index.collection_writer import CollectionWriter
from rag.index.postgres import shared_collection_rows
from rag.index.postgres.batch import Batch
from rag.index.postgres.database import Database
from rag.index.postgres.postings import rebuild_terms, same_terms
from rag.index.postgres.shared_collection_rows import StoredCollection
from rag.index.postgres.shared_document_rows import copy_rows, label, received
from rag.index.protocol import DocumentPart, IndexedDocument, Notice, UnreadFile
from state.postgres import Worded

if TYPE_CHECKING:
    import psycopg

_Result = TypeVar("_Result")

EXACT_CHUNKS = 20_000
"""Up to so many vectors are compared one by one; more get an HNSW index."""

_SETTLE_CHUNKS = 500
"""The engine's statistics are made again after so many were written."""


def prepared(
    db: psycopg.Connection[Any],
    name: str,
    embedder: EmbedderIdentity,
    uid: str | None,
    notice: Notice,
) -> StoredCollection:
    """As of `rag.index.writer`; of a store that was made, by who holds the collection's lock."""
    with db.transaction():
        row = shared_collection_rows.find(db, name) or shared_collection_rows.create(
            db, name, embedder, uid
        )
        check_embedder(name, row.embedder, embedder)
        if not same_terms(row):
            notice("The lexical index is of another version; building it again.")
            rebuild_terms(db, row)
    return row


class PostgresWriter(CollectionWriter):
    """On a connection of its own."""

    _group_seconds = 10.0
    """Longer than at home: the larger a segment of the lexical index is, the less it takes."""

    def __init__(
        self, db: psycopg.Connection[Any], row: StoredCollection, lookup: Database
    ) -> None:
        """`lookup`: another connection, for what is asked from another thread meanwhile."""
        super().__init__(Worded(db), row)
        self._db = db
        self._lookup = lookup
        self._start = row.next_chunk

    def _now(self) -> StoredCollection:
        return shared_collection_rows.require(self._db, self.name)

    def set_root(self, path: str, options: str) -> None:
        self._db.execute(
            "INSERT INTO roots (collection_id, path, options, host) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (collection_id, path) DO UPDATE"
            " SET options = excluded.options, host = excluded.host, ingested = now()",
            (self._row.id, encode_path(path), options, socket.gethostname()),
        )

    def _write(
        self, documents: Mapping[str, tuple[IndexedDocument, Iterable[DocumentPart]]]
    ) -> None:
        def write(batch: Batch) -> None:
            batch.remove(list(documents))
            for document, parts in documents.values():
                batch.write(document, parts)

        self._changing(write)

    def _changing(self, change: Callable[[Batch], _Result]) -> _Result:
        with self._db.transaction():
            batch = Batch(self._db, self._now())
            result = change(batch)
            batch.finish()
        return result

    def remove(self, sources: Iterable[str]) -> int:
        self.flush()
        doomed = list(sources)
        return self._changing(lambda batch: batch.remove(doomed)) if doomed else 0

    def rename(self, old_source: str, document: IndexedDocument) -> bool:
        """False too where the title is another one, which the lexical index holds."""
        self.flush()
        rows = self._db.execute(
            "SELECT source, id, title FROM documents WHERE collection_id = %s AND source = ANY(%s)",
            (self._row.id, [encode_path(old_source), encode_path(document.source)]),
        ).fetchall()
        title = None if document.title is None else label(document.title)
        if len(rows) != 1 or rows[0][0] != encode_path(old_source) or rows[0][2] != title:
            return False
        self._changing(lambda batch: batch.rename(rows[0][1], document))
        return True

    def set_unread(self, files: Iterable[UnreadFile], forget: Iterable[str] = ()) -> None:
        rows = {
            file.path: (
                self._row.id, encode_path(file.path), *file.stat, label(file.reason), file.failed,
            )
            for file in files
        }  # fmt: skip
        with self._db.transaction():
            self._db.execute(
                "DELETE FROM unread WHERE collection_id = %s AND path = ANY(%s)",
                (self._row.id, [encode_path(path) for path in (*forget, *rows)]),
            )
            copy_rows(
                self._db,
                "unread",
                "collection_id, path, size, mtime_ns, changed_ns, reason, failed",
                rows.values(),
            )

    def vectors_for(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        hashes = {text_hash(text): text for text in texts}
        with self._lookup.reading() as db:
            rows = db.execute(
                "SELECT DISTINCT ON (text_hash) text_hash, halfvec_send(vector) FROM chunks"
                " JOIN vectors ON vectors.collection_id = chunks.collection_id"
                " AND vectors.chunk_id = chunks.id WHERE chunks.collection_id = %s"
                " AND vectors.collection_id = %s AND text_hash = ANY(%s)",
                (self._row.id, self._row.id, list(hashes)),
            ).fetchall()
        return {hashes[number]: received(data) for number, data in rows}

    def close(self, *, interrupted: bool) -> None:
        if interrupted and self._db.closed:
            return
        self.flush()
        if interrupted:
            return
        row = self._now()
        if row.next_chunk - self._start >= _SETTLE_CHUNKS:
            self._db.execute(
                "SELECT set_config('maintenance_work_mem', '1GB', false) WHERE"
                " pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('1GB')"
            )
            self._db.execute("SELECT settle(%s, %s)", (row.id, row.chunks > EXACT_CHUNKS))
