"""What a hybrid search asks of a shared store; inside one snapshot of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rag.index.chunk_rows import retrieved
from rag.index.codec import BLOCK_CHARACTERS, decode_block, decode_path
from rag.index.postgres.postings import (
    SEARCH,
    SEARCH_AMONG,
    SEGMENT_CHUNKS,
    ranges,
    rarity,
    read_of_each,
)
from rag.index.postgres.shared_document_rows import received
from rag.index.terms import indexed_text

if TYPE_CHECKING:
    import psycopg
    from pathspec import GitIgnoreSpec

    from rag.embed.protocol import Vectors
    from rag.index.postgres.shared_collection_rows import StoredCollection
    from state.passages import RetrievedChunk

_EVERY_CHUNK = ((1, 2**31 - 1),)

MORE = 20
"""So many more are fetched by their halves, which round the query too, than are compared."""

# The order is that of an index, which holds halves; the cosine is that of the local index.
_NEAREST = """
SELECT chunk_id, 1 - (vector::vector <=> %(query)s::vector) AS cosine FROM (
  SELECT chunk_id, vector FROM vectors WHERE collection_id = {collection}
  ORDER BY vector::halfvec({dimension}) <=> %(half)s::halfvec({dimension}) LIMIT %(more)s
) AS near ORDER BY cosine DESC, chunk_id LIMIT %(limit)s
"""
# By no index of vectors, which would be asked in vain where few documents are chosen.
_NEAREST_CHOSEN = """
SELECT chunk_id, 1 - (vector::vector <=> %(query)s::vector) AS cosine
FROM unnest(%(firsts)s::int[], %(pasts)s::int[]) AS span (first, past)
JOIN vectors ON collection_id = {collection} AND chunk_id >= first AND chunk_id < past
ORDER BY cosine DESC, chunk_id LIMIT %(limit)s
"""
_COSINES = """
SELECT chunk_id, 1 - (vector::vector <=> %s::vector) FROM vectors
WHERE collection_id = {collection} AND chunk_id = ANY(%s)
"""
_VECTORS = """
SELECT key, halfvec_send(vector) FROM chunks
JOIN vectors ON vectors.collection_id = {collection} AND vectors.chunk_id = chunks.id
WHERE chunks.collection_id = {collection} AND key = ANY(%s)
"""
_CHUNKS = """
SELECT chunks.id, text, key, source, title, heading, page, start_line, end_line, start_char,
  end_char, anchor, blocks
FROM chunks JOIN documents ON documents.collection_id = chunks.collection_id
  AND documents.id = chunks.document_id
WHERE chunks.collection_id = %s AND chunks.id = ANY(%s)
"""
_HAVING = """
SELECT names.key, names.document_id, documents.source
FROM names JOIN documents ON documents.collection_id = names.collection_id
  AND documents.id = names.document_id
WHERE names.collection_id = %s AND names.key = ANY(%s)
"""
_BOTH = f"""
SELECT text, title, heading FROM documents
JOIN LATERAL (
  SELECT segment + (entry >> 20) AS id FROM postings CROSS JOIN LATERAL unnest(entries) AS entry
  WHERE postings.collection_id = %(collection)s AND term = ANY(%(words)s)
    AND segment BETWEEN first_chunk - {SEGMENT_CHUNKS} AND first_chunk + chunk_count
  GROUP BY 1 HAVING count(*) = 2
) AS held ON held.id >= first_chunk AND held.id < first_chunk + chunk_count
JOIN chunks ON chunks.collection_id = %(collection)s AND chunks.id = held.id
WHERE documents.collection_id = %(collection)s AND documents.id = %(document)s
"""


class PostgresLegs:
    """A `Legs` of one collection between two writes."""

    def __init__(
        self, db: psycopg.Connection[Any], row: StoredCollection, files: GitIgnoreSpec | None
    ) -> None:
        """`files`: which sources may be found; None: all."""
        self._files = files
        self._db = db
        self._row = row
        self._beside: dict[tuple[tuple[str, str], int], bool] = {}

    def reads(self, db: psycopg.Connection[Any]) -> bool:
        """Whether it reads from this connection, and not from one that was lost."""
        return self._db is db

    @property
    def chunk_count(self) -> int:
        return self._row.chunks

    @property
    def document_count(self) -> int:
        return self._row.documents if self._chosen is None else len(self._chosen)

    @cached_property
    def _chosen(self) -> dict[int, tuple[int, int]] | None:
        """The span of chunks of each document that may be found; None where all may."""
        if self._files is None:
            return None
        rows = self._db.execute(
            "SELECT id, source, first_chunk, first_chunk + chunk_count FROM documents"
            " WHERE collection_id = %s",
            (self._row.id,),
        )
        matches = self._files.match_file
        return {number: (a, z) for number, source, a, z in rows if matches(decode_path(source))}

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        rows = self._db.execute(
            "SELECT term, chunks FROM terms WHERE collection_id = %s AND term = ANY(%s)",
            (self._row.id, list(wanted)),
        )
        return dict.fromkeys(wanted, 0) | dict(rows.fetchall())

    def lexical(self, searched: Mapping[str, int], limit: int) -> dict[int, float]:
        only = self._chosen
        return self._search(searched, limit, _EVERY_CHUNK if only is None else list(only.values()))

    def _search(
        self, searched: Mapping[str, int], limit: int, spans: Sequence[tuple[int, int]]
    ) -> dict[int, float]:
        """Of the chunks from the first of a span to before its second."""
        held = {term: count for term, count in searched.items() if count}
        spans = [(first, past) for first, past in spans if first < past]
        if not held or not spans:
            return {}
        chunks = self._row.chunks
        everything = tuple(spans) == _EVERY_CHUNK
        rows = self._db.execute(
            SEARCH if everything else SEARCH_AMONG,
            {
                "collection": self._row.id,
                "terms": list(held),
                "rarities": [rarity(count, chunks) for count in held.values()],
                "most": read_of_each(held.values() if everything else (), chunks),
                "average": max(self._row.terms, 1) / max(chunks, 1),
                "first": min(first for first, _ in spans),
                "past": max(past for _, past in spans),
                **({} if everything else {"spans": ranges(spans)}),
                "limit": limit,
            },
        )
        return dict(rows.fetchall())

    def dense(self, vector: Vectors, limit: int) -> dict[int, float]:
        only = self._chosen
        query = (_NEAREST if only is None else _NEAREST_CHOSEN).format(
            collection=self._row.id, dimension=self._row.embedder.dimension
        )
        # Two parameters: a server gives one a single type, and would compare the rounded query.
        words = _literal(vector)
        values = {"query": words, "half": words, "more": limit + MORE, "limit": limit}
        if only is not None:
            values["firsts"] = [first for first, _ in only.values()]
            values["pasts"] = [past for _, past in only.values()]
        return dict(self._db.execute(query, values).fetchall())

    @property
    def dense_searched(self) -> str:
        return "pgvector"

    def vectors(self, keys: Sequence[int]) -> dict[int, Vectors]:
        rows = self._db.execute(_VECTORS.format(collection=self._row.id), (list(keys),))
        return {key: received(data) for key, data in rows}

    def cosines(self, vector: Vectors, rows: Sequence[int]) -> dict[int, float]:
        if not rows:
            return {}
        query = _COSINES.format(collection=self._row.id)
        found = self._db.execute(query, (_literal(vector), list(rows)))
        return dict(found.fetchall())

    def read(self, rows: Sequence[int]) -> dict[int, RetrievedChunk]:
        found = self._db.execute(_CHUNKS, (self._row.id, list(rows)), binary=True)
        return {
            row: retrieved(text.decode("utf-8", "surrogatepass"), *rest)
            for row, text, *rest in found
        }

    def place_of(self, key: int) -> tuple[int, int] | None:
        found: tuple[int, int] | None = self._db.execute(
            "SELECT document_id, id FROM chunks WHERE collection_id = %s AND key = %s",
            (self._row.id, key),
        ).fetchone()
        return found

    def rows_of(self, document: int) -> list[int]:
        rows = self._db.execute(
            "SELECT generate_series(first_chunk, first_chunk + chunk_count - 1) FROM documents"
            " WHERE collection_id = %s AND id = %s",
            (self._row.id, document),
        )
        return [row for (row,) in rows]

    def headings(self, document: int) -> list[str]:
        rows = self._db.execute(
            "SELECT heading FROM chunks JOIN documents"
            " ON documents.collection_id = chunks.collection_id"
            " AND chunks.id >= first_chunk AND chunks.id < first_chunk + documents.chunk_count"
            " WHERE chunks.collection_id = %s AND documents.id = %s ORDER BY chunks.id",
            (self._row.id, document),
        )
        return [heading for (heading,) in rows]

    def text(self, document: int, start: int, end: int | None) -> str:
        first = start // BLOCK_CHARACTERS
        last = None if end is None else end // BLOCK_CHARACTERS
        rows = self._db.execute(
            "SELECT data FROM blocks WHERE collection_id = %s AND document_id = %s"
            " AND number >= %s AND (%s::int IS NULL OR number <= %s) ORDER BY number",
            (self._row.id, document, first, last, last),
            binary=True,
        )
        text = "".join(decode_block(data) for (data,) in rows)
        before = first * BLOCK_CHARACTERS
        return text[start - before : None if end is None else max(end - before, 0)]

    def having(self, keys: Sequence[str]) -> Iterable[tuple[str, int, bytes]]:
        return self._db.execute(_HAVING, (self._row.id, list(keys)))

    def numbered(self, limit: int) -> list[tuple[str, int]]:
        return self._db.execute(
            "SELECT key, document_id FROM names WHERE collection_id = %s"
            " AND key >= '#' AND key < '$' ORDER BY key, document_id LIMIT %s",
            (self._row.id, limit),
        ).fetchall()

    def beside(self, words: tuple[str, str], between: int, document: int) -> bool:
        known = self._beside.get((words, document))
        if known is None:
            rows = self._db.execute(
                _BOTH, {"collection": self._row.id, "document": document, "words": list(words)}
            ).fetchall()
            known = any(
                _near(words, between, indexed_text(text).split())
                for chunk, title, heading in rows
                for text in (chunk.decode("utf-8", "surrogatepass"), f"{title or ''} {heading}")
            )
            self._beside[words, document] = known
        return known

    def of_document(self, document: int, searched: Mapping[str, int], limit: int) -> list[int]:
        if self._chosen is not None and document not in self._chosen:
            return []
        first, count = self._db.execute(
            "SELECT first_chunk, chunk_count FROM documents WHERE collection_id = %s AND id = %s",
            (self._row.id, document),
        ).fetchone() or (0, 0)
        if not count:
            return []
        best = self._search(searched, limit, [(first, first + count)])
        return list(dict.fromkeys([first, *best]))

    def vocabulary(self, first: str, shortest: int, longest: int) -> Iterator[tuple[str, int]]:
        return iter(
            self._db.execute(
                "SELECT term, chunks FROM terms WHERE collection_id = %s AND term >= %s"
                " AND term < %s AND length(term) BETWEEN %s AND %s AND chunks > 0",
                (self._row.id, first, first + "\U0010ffff", shortest, longest),
            ).fetchall()
        )

    def holding(self, term: str, limit: int) -> list[int]:
        rows = self._db.execute(
            "SELECT segment + (entry >> 20) AS chunk FROM (SELECT segment, entries FROM postings"
            " WHERE collection_id = %s AND term = %s ORDER BY segment LIMIT %s) AS first,"
            " unnest(entries) AS entry ORDER BY chunk LIMIT %s",
            (self._row.id, term, limit, limit),
        )
        return [row for (row,) in rows]


def _literal(vector: Vectors) -> str:
    """A vector in the words of pgvector, each number exact."""
    return f"[{','.join(map(str, vector.tolist()))}]"


def _near(words: tuple[str, str], between: int, text: Sequence[str]) -> bool:
    first, second = ([at for at, term in enumerate(text) if term == word] for word in words)
    return any(0 < abs(here - there) <= between + 1 for here in first for there in second)
