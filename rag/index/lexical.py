"""The lexical leg: one FTS5 table a collection, holding exactly the terms of `terms.py`.

The table keeps no text (it is contentless), so removing a chunk gives FTS5 the same terms
again; a catalog written with other terms is built again by the writer.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rag.index.terms import PUNCTUATION, indexed_text, terms

HEAD_WEIGHT = 2.0
QUERY_CHARACTERS = 100_000
QUERY_WORDS = 1_000
SEARCHED_TERMS = 64
SEARCHED_ROWS = 10_000

# `+`: a condition only. As an index FTS5 would be asked for each of those rows by itself.
_OF_DOCUMENTS = (
    " AND +rowid IN (SELECT id FROM chunks WHERE document_id IN (SELECT value FROM json_each(?)))"
)


LexicalRow = tuple[int, str, str]
"""A chunk's row and what is searchable of it: its text, and the title and headings above it."""


class LexicalTable:
    """The FTS5 table of one collection."""

    def __init__(self, connection: sqlite3.Connection, collection_id: int) -> None:
        self._connection = connection
        self._collection_id = int(collection_id)
        self._table = f"lexical_{int(collection_id)}"

    def create(self) -> None:
        self._connection.execute(
            f"CREATE VIRTUAL TABLE {self._table} USING fts5(body, head, content='',"
            f" tokenize=\"ascii tokenchars '{PUNCTUATION}'\")"
        )
        self._connection.execute(
            f"CREATE VIRTUAL TABLE {self._table}_terms USING fts5vocab({self._table}, 'row')"
        )

    def drop(self) -> None:
        """Also one that is damaged: FTS5 opens a table to drop it, as far as to these rows."""
        self._connection.execute("CREATE VIRTUAL TABLE temp.empty USING fts5(body, content='')")
        for part in ("config", "data"):
            self._connection.execute(
                f"INSERT OR REPLACE INTO {self._table}_{part} SELECT * FROM temp.empty_{part}"
            )
        self._connection.execute("DROP TABLE temp.empty")
        self._connection.execute(f"DROP TABLE IF EXISTS {self._table}_terms")
        self._connection.execute(f"DROP TABLE IF EXISTS {self._table}")

    def size(self) -> int:
        """How many chunks it holds."""
        query = f"SELECT count(*) FROM {self._table}_docsize"
        return int(self._connection.execute(query).fetchone()[0])

    def check(self) -> None:
        """FTS5's own check of its structure; raises sqlite3.DatabaseError where it is broken."""
        self._connection.execute(
            f"INSERT INTO {self._table} ({self._table}) VALUES ('integrity-check')"
        )

    def add(self, rows: Iterable[LexicalRow]) -> None:
        self._connection.executemany(
            f"INSERT INTO {self._table} (rowid, body, head) VALUES (?, ?, ?)", _indexed(rows)
        )

    def remove(self, rows: Iterable[LexicalRow]) -> None:
        """`rows` must be what was added, character for character."""
        self._connection.executemany(
            f"INSERT INTO {self._table} ({self._table}, rowid, body, head)"
            " VALUES ('delete', ?, ?, ?)",
            _indexed(rows),
        )

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each term; 0 for a term that none holds."""
        rows = self._connection.execute(
            f"SELECT term, doc FROM {self._table}_terms"
            " WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps(list(wanted)),),
        )
        return dict.fromkeys(wanted, 0) | dict(rows)

    def vocabulary(self, first: str, shortest: int, longest: int) -> Iterator[tuple[str, int]]:
        """(term, document frequency) of the terms with this first letter and of these lengths."""
        return self._connection.execute(
            f"SELECT term, doc FROM {self._table}_terms"
            " WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
            (first, first + "\U0010ffff", shortest, longest),
        )

    def holding(self, term: str, limit: int) -> list[int]:
        """Some chunks that hold the term."""
        rows = self._connection.execute(
            f"SELECT rowid FROM {self._table} WHERE {self._table} MATCH ? LIMIT ?",
            (f'"{term}"', limit),
        )
        return [row for (row,) in rows]

    def near(self, words: Sequence[str], terms: int, first: int, last: int) -> bool:
        """Whether one of the chunks between has the words with at most `terms` between them."""
        quoted = " ".join(f'"{word}"' for word in words)
        row = self._connection.execute(
            f"SELECT 1 FROM {self._table} WHERE {self._table} MATCH ?"
            " AND rowid BETWEEN ? AND ? LIMIT 1",
            (f"NEAR({quoted}, {terms})", first, last),
        ).fetchone()
        return row is not None

    def search(
        self, query: Sequence[str], limit: int, only: str | None = None
    ) -> list[tuple[int, float]]:
        """(chunk id, BM25 score) of chunks holding any of these terms, best first; of `only` the
        documents whose ids are in that JSON, where it is given.
        """
        return self._search(query, limit, *(("",) if only is None else (_OF_DOCUMENTS, only)))

    def within(
        self, query: Sequence[str], first: int, last: int, limit: int
    ) -> list[tuple[int, float]]:
        """As `search`, of the chunks with these ids and those between."""
        return self._search(query, limit, f" AND rowid BETWEEN {int(first)} AND {int(last)}")

    def _search(
        self, query: Sequence[str], limit: int, where: str, *values: str
    ) -> list[tuple[int, float]]:
        if not query:
            return []
        # Quoted, a term is a term: no text of a query is ever FTS5 syntax.
        expression = " OR ".join(f'"{term}"' for term in query)
        rows = self._connection.execute(
            f"SELECT rowid, bm25({self._table}, 1.0, {HEAD_WEIGHT}) AS score FROM {self._table}"
            f" WHERE {self._table} MATCH ?{where} ORDER BY score LIMIT ?",
            (expression, *values, limit),
        )
        return [(chunk, -score) for chunk, score in rows]


def _indexed(rows: Iterable[LexicalRow]) -> Iterator[LexicalRow]:
    return ((row, indexed_text(text), indexed_text(head)) for row, text, head in rows)


def query_terms(query: str) -> list[str]:
    """The distinct terms of a query, in order, of however much text."""
    return list(dict.fromkeys(terms(query[:QUERY_CHARACTERS])))[:QUERY_WORDS]


def searched_terms(frequencies: Mapping[str, int]) -> list[str]:
    """Which of a query's terms to search: the rarest, as long as they stay affordable.

    A frequent term costs most and tells least; it is counted in the candidates afterwards.
    """
    known = sorted((count, term) for term, count in frequencies.items() if count)
    chosen: list[str] = []
    cost = 0
    for count, term in known[:SEARCHED_TERMS]:
        cost += count
        if cost > SEARCHED_ROWS and len(chosen) > 1:
            break
        chosen.append(term)
    return chosen
