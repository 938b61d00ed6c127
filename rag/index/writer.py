"""Writing a collection of either database.

`put_all` is one transaction, of whose chunks only a group is held at a time: memory stays bounded,
readers see whole documents only, and nothing is left of what a killed process had begun.
"""

from __future__ import annotations

import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rag.embed.builtin import builtin_embedder
from rag.embed.protocol import Vectors
from rag.index.codec import chunk_key, encode_blocks, encode_path
from rag.index.collection_rows import (
    CollectionContents,
    CollectionRow,
    mark_changed,
    placeholders,
    rows_of_many,
)
from rag.index.protocol import DocumentPart, IndexedDocument, UnreadFile
from rag.index.terms import indexed_head, indexed_text
from state.database import Database, Sql
from state.documents import Chunk, chunk_id, text_with_headings
from state.wording import storable

GROUP_CHUNKS = 1_000
"""So many chunks are inserted together."""

Searchable = tuple[int, int, str, str]
"""What the lexical index holds of a chunk: its row, its document, the terms of text and head."""


class CollectionWriter(CollectionContents, ABC):
    """One collection, open for writing, whose lock is held."""

    def __init__(self, database: Database, sql: Sql, row: CollectionRow, host: str = "") -> None:
        super().__init__(sql, row)
        self._database = database
        self._host = host

    @abstractmethod
    def _new_rows(self, table: str, count: int) -> list[int]:
        """So many new row ids of a table, ascending; inside a transaction."""

    @abstractmethod
    def _encoded(self, vectors: Vectors) -> list[Any]:
        """Vectors as their column keeps them."""

    @abstractmethod
    def _index(self, chunks: Sequence[Searchable]) -> None:
        """Adds chunks, which have their rows, to the lexical index."""

    @abstractmethod
    def _unindex(self, documents: Sequence[int]) -> None:
        """Takes the chunks of these documents, whose rows still exist, out of it."""

    @abstractmethod
    def finish(self) -> None:
        """Brings up to date the indexes that are built of the documents."""

    def set_root(self, path: str, options: str) -> None:
        self._sql.execute(
            "INSERT INTO roots (collection_id, path, options, host) VALUES ($1, $2, $3, $4)"
            " ON CONFLICT (collection_id, path) DO UPDATE"
            " SET options = excluded.options, host = excluded.host",
            (self.row.id, encode_path(path), options, self._host),
        )

    def put_all(self, documents: Sequence[tuple[IndexedDocument, Iterable[DocumentPart]]]) -> None:
        """Adds the documents; older ones of the same sources are deleted after that.
        If one raises, nothing of any is kept, and the older ones stay.
        """
        if not documents:
            return
        with self._database.transaction():
            waiting: list[tuple[int, IndexedDocument, Chunk]] = []
            rows: dict[str, list[tuple[Any, ...]]] = {"documents": [], "texts": []}
            numbers = self._new_rows("documents", len(documents))
            for number, (read, parts) in zip(numbers, documents, strict=True):
                document = replace(read, title=read.title and storable(read.title))
                deflate, text, characters, count = zlib.compressobj(), list[bytes](), 0, 0
                for part in parts:
                    waiting += [(number, document, chunk) for chunk in part.chunks]
                    text.append(deflate.compress(part.text.encode("utf-8", "surrogatepass")))
                    characters, count = characters + len(part.text), count + len(part.chunks)
                    if len(waiting) >= GROUP_CHUNKS:
                        self._insert_chunks(waiting)
                        waiting = []
                row = _document_row(document, count, characters)
                rows["documents"].append((number, self.row.id, *row))
                rows["texts"].append((number, self.row.id, b"".join([*text, deflate.flush()])))
            self._insert_chunks(waiting)
            self._delete([document.source for document, _ in documents])
            for table, some in rows.items():
                self._insert(table, some)
            mark_changed(self._sql, self.row.id)

    def remove(self, sources: Iterable[str]) -> int:
        """Removes documents; returns how many there were. Unknown sources are ignored."""
        doomed = list(sources)
        with self._database.transaction():
            return self._delete(doomed) if doomed else 0

    def touch(self, document: IndexedDocument) -> None:
        """Updates path, root, size and times of an indexed document, found by source."""
        self._sql.execute(
            "UPDATE documents SET path = $1, root = $2, size = $3, mtime_ns = $4,"
            " changed_ns = $5 WHERE collection_id = $6 AND source = $7",
            (*_place_of(document), self.row.id, encode_path(document.source)),
        )

    def set_unread(self, files: Iterable[UnreadFile], forget: Iterable[str] = ()) -> None:
        """Remembers files, replacing what was known of their paths; forgets other paths."""
        own = self.row.id
        rows = []
        for each in files:
            told = storable(each.reason), int(each.failed), each.reading
            rows.append((own, encode_path(each.path), *each.stat, *told))
        with self._database.transaction():
            self._sql.executemany(
                "DELETE FROM unread WHERE collection_id = $1 AND path = $2",
                [*((own, encode_path(path)) for path in forget), *(row[:2] for row in rows)],
            )
            self._insert("unread", rows)

    def _insert(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Inserts rows, whose values stand in the order of the table's columns."""
        if rows:
            values = placeholders(len(rows[0]))
            self._sql.executemany(f"INSERT INTO {table} VALUES ({values})", rows)

    def _insert_chunks(self, waiting: Sequence[tuple[int, IndexedDocument, Chunk]]) -> None:
        """Embeds and inserts chunks before their documents' rows: of a long one more are still to
        come.
        """
        new = self._new_rows("chunks", len(waiting))
        texts = [text_with_headings(of.title, each.heading, each.text) for _, of, each in waiting]
        vectors = self._encoded(builtin_embedder().embed_documents(texts))
        rows, searchable = [], list[Searchable]()
        for row, vector, (number, document, chunk) in zip(new, vectors, waiting, strict=True):
            rows.append((row, self.row.id, number, *_columns(document.source, chunk), vector))
            head = indexed_head(document.title, storable(chunk.heading))
            searchable.append((row, number, indexed_text(chunk.text), head))
        self._insert("chunks", rows)
        self._index(searchable)

    def _delete(self, sources: Sequence[str]) -> int:
        query = "SELECT id FROM documents WHERE collection_id = $1 AND source IN ({some})"
        rows = rows_of_many(self._sql, query, list(map(encode_path, sources)), self.row.id)
        doomed = [row for (row,) in rows]
        if doomed:
            self._unindex(doomed)
            self._sql.executemany("DELETE FROM documents WHERE id = $1", [(row,) for row in doomed])
            mark_changed(self._sql, self.row.id)
        return len(doomed)


def _place_of(document: IndexedDocument) -> tuple[bytes | None, bytes | None, int, int, int]:
    both = document.path, document.root
    path, root = (None if each is None else encode_path(each) for each in both)
    return path, root, *document.stat


def _document_row(document: IndexedDocument, chunks: int, characters: int) -> tuple[Any, ...]:
    return (
        encode_path(document.source),
        *_place_of(document),
        document.content_hash,
        document.title,
        document.format,
        chunks,
        characters,
        json.dumps(document.warnings),
    )


def _columns(source: str, chunk: Chunk) -> tuple[Any, ...]:
    return (
        chunk_key(chunk_id(source, chunk.start_char, chunk.text)),
        *(chunk.start_char, chunk.end_char, chunk.start_line, chunk.end_line, chunk.page),
        storable(chunk.heading),
        None if chunk.anchor is None else storable(chunk.anchor),
        encode_blocks(chunk.blocks) if chunk.blocks else None,
    )
