"""What a hybrid search asks of the catalog; inside one snapshot of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from rag.index import chunk_rows
from rag.index.chunk_rows import Texts
from rag.index.codec import decode_path, decode_vectors
from rag.index.contents import Contents
from rag.index.dense import DenseLeg, cosines
from rag.index.lexical import LexicalTable

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Vectors
    from state.passages import RetrievedChunk


class CatalogLegs:
    """A `Legs` of one collection between two writes."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        collection_id: int,
        dense: DenseLeg,
        files: GitIgnoreSpec | None,
    ) -> None:
        """`files`: which sources may be found; None: all."""
        self._connection = connection
        self._collection_id = collection_id
        self._dense = dense
        self._lexical = LexicalTable(connection, collection_id)
        self._texts = Texts(connection)
        self._files = files

    @property
    def chunk_count(self) -> int:
        return self._totals[1]

    @property
    def document_count(self) -> int:
        return self._totals[0] if self._chosen is None else len(self._chosen)

    @cached_property
    def _totals(self) -> tuple[int, int, int]:
        return Contents(self._connection, self._collection_id).totals()

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        return self._lexical.frequencies(wanted)

    def lexical(self, searched: Mapping[str, int], limit: int) -> dict[int, float]:
        found = self._lexical.search(list(searched), limit, self._chosen_ids)
        rows = [row for row, _ in found]
        shown = chunk_rows.still_there(self._connection, self._collection_id, rows)
        return {row: score for row, score in found if row in shown}

    def dense(self, vector: Vectors, limit: int) -> dict[int, float]:
        return self._dense.nearest(self._connection, vector, limit, self._chosen_ids)

    @property
    def dense_searched(self) -> str:
        return self._dense.searched

    def vectors(self, keys: Sequence[int]) -> dict[int, Vectors]:
        stored = chunk_rows.vectors(self._connection, self._collection_id, keys)
        return {key: decode_vectors([each], len(each) // 2)[0] for key, each in stored.items()}

    def cosines(self, vector: Vectors, rows: Sequence[int]) -> dict[int, float]:
        return cosines(self._connection, vector, rows)

    def read(self, rows: Sequence[int]) -> dict[int, RetrievedChunk]:
        return chunk_rows.read(self._connection, self._texts, rows)

    def place_of(self, key: int) -> tuple[int, int] | None:
        found: tuple[int, int] | None = self._connection.execute(
            "SELECT document_id, chunks.id FROM chunks"
            " CROSS JOIN documents ON documents.id = document_id"
            " WHERE key = ? AND collection_id = ?",
            (key, self._collection_id),
        ).fetchone()
        return found

    def rows_of(self, document: int) -> list[int]:
        rows = self._connection.execute(
            "SELECT id FROM chunks WHERE document_id = ? ORDER BY id", (document,)
        )
        return [row for (row,) in rows]

    def headings(self, document: int) -> list[str]:
        rows = self._connection.execute(
            "SELECT heading FROM chunks WHERE document_id = ? ORDER BY id", (document,)
        )
        return [heading for (heading,) in rows]

    def text(self, document: int, start: int, end: int | None) -> str:
        (characters,) = self._connection.execute(
            "SELECT characters FROM documents WHERE id = ?", (document,)
        ).fetchone()
        last = characters if end is None else min(end, characters)
        return self._texts.span(document, start, last)

    def having(self, keys: Sequence[str]) -> Iterable[tuple[str, int, bytes]]:
        return self._connection.execute(
            "SELECT names.key, names.document_id, documents.source FROM names"
            " CROSS JOIN documents ON documents.id = names.document_id"
            f" WHERE names.key IN ({','.join('?' * len(keys))})"
            " AND documents.collection_id = ?",
            (*keys, self._collection_id),
        )

    def numbered(self, limit: int) -> list[tuple[str, int]]:
        return self._connection.execute(
            "SELECT names.key, names.document_id FROM names"
            " CROSS JOIN documents ON documents.id = names.document_id"
            " WHERE names.key >= '#' AND names.key < '$'"
            " AND documents.collection_id = ? LIMIT ?",
            (self._collection_id, limit),
        ).fetchall()

    def beside(self, words: tuple[str, str], between: int, document: int) -> bool:
        return self._lexical.near(words, between, *self._range(document))

    def of_document(self, document: int, searched: Mapping[str, int], limit: int) -> list[int]:
        if self._chosen is not None and document not in self._chosen:
            return []
        first, last = self._range(document)
        best = self._lexical.within(list(searched), first, last, limit)
        return list(dict.fromkeys([first, *(row for row, _ in best)])) if first else []

    def vocabulary(self, first: str, shortest: int, longest: int) -> Iterator[tuple[str, int]]:
        return self._lexical.vocabulary(first, shortest, longest)

    def holding(self, term: str, limit: int) -> list[int]:
        return self._lexical.holding(term, limit)

    @cached_property
    def _chosen(self) -> list[int] | None:
        """The documents that may be found; None where all may."""
        if self._files is None:
            return None
        rows = self._connection.execute(
            "SELECT id, source FROM documents WHERE collection_id = ?",
            (self._collection_id,),
        )
        matches = self._files.match_file
        return [number for number, source in rows if matches(decode_path(source))]

    @property
    def _chosen_ids(self) -> str | None:
        """As a JSON list."""
        return None if self._chosen is None else json.dumps(self._chosen)

    def _range(self, document: int) -> tuple[int, int]:
        """The first and last row of a document's chunks; 0 where it has none."""
        first, last = self._connection.execute(
            "SELECT min(id), max(id) FROM chunks WHERE document_id = ?", (document,)
        ).fetchone()
        return first or 0, last or 0
