"""Reading a collection of either database: hybrid search over its `IndexQueries`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rag.embed.builtin import builtin_embedder
from rag.index.candidates import RANKED, best_chunks
from rag.index.codec import chunk_key
from rag.index.collection_rows import CollectionRow, check_embedder, nothing_ingested, require
from rag.index.language import current_language, reading_for
from rag.index.protocol import DocumentOutline, IndexedDocument
from rag.index.queries import IndexQueries
from rag.index.vocabulary import Vocabulary
from state.choices import ingest_command
from state.database import Database, Sql
from state.errors import NoIndexError
from state.passages import RetrievedChunk

Rerank = Callable[[str, Sequence[RetrievedChunk]], list[RetrievedChunk]]
"""Takes a query and the chunks that it found, and gives them new scores and their order."""


class CollectionReader:
    """One collection, open for reading: every call sees one moment of the store, never half a
    write, and blocks no writer.
    """

    _sql: Sql
    _queries: IndexQueries
    rerank: Rerank | None = None
    """Orders what a search found by meaning, where it is set (`rag/reading/reranker.py`)."""

    def __init__(
        self,
        database: Database,
        name: str,
        queries: Callable[[Sql, CollectionRow], IndexQueries],
    ) -> None:
        """Raises as `Store.open_collection`."""
        self.name = name
        self._database = database
        self._make_queries = queries
        self._row: CollectionRow | None = None
        with self.snapshot():
            if not self._queries.chunk_count:
                raise NoIndexError(
                    f"The collection {name!r} holds no text yet.",
                    f"Run `{ingest_command(name, ' PATH')}` first.",
                )

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything read inside is of the same moment, however many calls it takes.

        Raises:
            NoIndexError, UsageError: the collection was deleted.
            EmbedderMismatchError: it was made anew with another embedder.
        """
        with self._database.reading() as sql:
            if sql is None:
                raise nothing_ingested()
            if not self._database.nested:
                self._follow(sql)
            yield

    def _follow(self, sql: Sql) -> None:
        """Turns to the collection that has the name now, at its revision of now."""
        row = require(sql, self.name)
        if row == self._row and sql is self._sql:
            return
        check_embedder(row)
        if self._row is not None:
            self._queries.close()
        self._sql, self._row = sql, row
        self._queries = self._make_queries(sql, row)
        # What was counted and found before holds no more.
        self._vocabulary = Vocabulary(self._queries)
        self._found: dict[tuple[str, int, str], list[RetrievedChunk]] = {}

    @property
    def chunk_count(self) -> int:
        with self.snapshot():
            return self._queries.chunk_count

    @property
    def document_count(self) -> int:
        with self.snapshot():
            return self._queries.document_count

    @property
    def main_language(self) -> str:
        """The language that most of the collection is in."""
        with self.snapshot():
            return self._vocabulary.main_language

    @property
    def dense_searched(self) -> str:
        """What answered the dense leg of the last search: "chroma", "pgvector", or "catalog" with
        the reason.
        """
        return self._queries.dense_searched

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        """The `k` best chunks by score fusion of BM25 and cosine, best first (`loop` is 0), in the
        reader's `rerank` where it has one; of copies the best stands for all.

        Any text is a legal query; one without a searchable word uses the dense leg alone.
        """
        with self.snapshot():
            pass  # forgets what was found before a write
        # Of one question several nodes need what it finds.
        with reading_for(self, query):
            wanted = max(k, RANKED)
            asked = (query, wanted, current_language())
            found = self._found.get(asked)
            if found is None:
                vector = builtin_embedder().embed_query(query)
                with self.snapshot():
                    found = best_chunks(self._queries, self._vocabulary, query, vector, wanted)
                found = self.rerank(query, found) if self.rerank is not None else found
                self._found = {asked: found}
        return [chunk.copy() for chunk in found[:k]]

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each term. Terms as `rag.index.terms.terms` gives them."""
        with self.snapshot():
            return self._vocabulary.frequencies(terms)

    def held_words(self, words: Iterable[str]) -> list[str]:
        """Those of these folded words that its texts hold, the likeliest first."""
        with self.snapshot():
            return self._vocabulary.held(words)

    def document_text(self, source: str, start: int = 0, end: int | None = None) -> str | None:
        """The extracted text of a source, of which `[start:end]`; None if it is not in the
        collection.
        """
        with self.snapshot():
            number = self._queries.document_id(source)
            return None if number is None else self._queries.text(number)[start:end]

    def around(self, chunk_id: str, before: int, after: int) -> list[RetrievedChunk]:
        """The chunk with so many of its document before and after it, in the document's order, not
        scored; none where it is not in the collection.
        """
        with self.snapshot():
            place = self._queries.find_chunk(chunk_key(chunk_id))
            if place is None:
                return []
            document, row = place
            rows = self._queries.chunk_rows(document)
            at = rows.index(row)
            return self._in_order(rows[max(at - before, 0) : at + after + 1])

    def document_chunks(self, source: str, limit: int) -> list[RetrievedChunk]:
        """The first chunks of a document in its order, not scored; none where it is unknown."""
        with self.snapshot():
            row = self._queries.document_id(source)
            return [] if row is None else self._in_order(self._queries.chunk_rows(row)[:limit])

    def _in_order(self, rows: Sequence[int]) -> list[RetrievedChunk]:
        found = self._queries.read(rows)
        return [found[row] for row in rows]

    def outline(self, most: int) -> list[DocumentOutline]:
        """What the first documents by source are about, as their titles and headings tell it."""
        with self.snapshot():
            return self._queries.outline(most)

    def document(self, source: str) -> IndexedDocument | None:
        with self.snapshot():
            return self._queries.document(source)

    def close(self) -> None:
        self._queries.close()
        self._database.close()
