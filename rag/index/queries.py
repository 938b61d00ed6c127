"""What a search asks of one collection: the same SQL for both databases, except for the abstract
methods, which each answers with indexes of its own.
"""

from __future__ import annotations

import zlib
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rag.index.codec import chunk_id_of, decode_blocks, decode_path, encode_path
from rag.index.collection_rows import CollectionContents, CollectionRow, rows_of_many
from rag.index.protocol import DocumentOutline
from state.database import Sql
from state.documents import without_header
from state.errors import DamagedError
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors

# LEFT JOIN: SQLite must begin at the chunks named; it would walk every document otherwise.
_CHUNKS = """
SELECT chunks.id, document_id, source, documents.title, key, heading, page, anchor, start_line,
  end_line, start_char, end_char, blocks
FROM chunks LEFT JOIN documents ON documents.id = document_id WHERE chunks.id IN ({some})
"""

_KEPT_CHARACTERS = 8_000_000
_AT_ONCE = 32


class Texts:
    """The documents' texts. Those read last are kept: a question's rewrites find much of the same.
    They never change: no document's number is given twice.
    """

    def __init__(self, sql: Sql) -> None:
        self._sql = sql
        self._kept: dict[int, str] = {}
        self._characters = 0

    def whole(self, document: int) -> str:
        ((_, text),) = self.each([document])
        return text

    def each(self, documents: Iterable[int]) -> Iterator[tuple[int, str]]:
        """(document, text) of these, a bounded number of them held at a time."""
        unread = []
        for document in documents:
            if (kept := self._kept.get(document)) is None:
                unread.append(document)
            else:
                yield document, kept
        query = "SELECT document_id, text FROM texts WHERE document_id IN ({some})"
        for first in range(0, len(unread), _AT_ONCE):
            some = unread[first : first + _AT_ONCE]
            stored = dict(rows_of_many(self._sql, query, some))
            for document in some:
                text = self._inflated(document, stored.get(document))
                self._keep(document, text)
                yield document, text

    def _keep(self, document: int, text: str) -> None:
        self._characters += len(text)
        while self._kept and self._characters > _KEPT_CHARACTERS:
            self._characters -= len(self._kept.pop(next(iter(self._kept))))
        self._kept[document] = text

    def _inflated(self, document: int, stored: bytes | None) -> str:
        try:
            return zlib.decompress(stored or b"").decode("utf-8", "surrogatepass")
        except (zlib.error, UnicodeDecodeError, TypeError):
            rows = self._sql.execute("SELECT source FROM documents WHERE id = $1", (document,))
            raise DamagedError(
                f"The stored text of {decode_path(rows.fetchone()[0])!r} is damaged.",
                "Run `crag collections delete` and `crag ingest` on its folder again.",
            ) from None


class IndexQueries(CollectionContents):
    """One collection at one revision, read inside the caller's snapshot. Chunks and documents are
    named by their row ids, which only this store knows; those of a document's chunks ascend.
    """

    dense_searched: str
    """What answered `dense` last, as a trace tells it."""

    def __init__(self, sql: Sql, row: CollectionRow, vocabulary: str) -> None:
        """`vocabulary` is a query for each `term`, and in how many `chunks` it is."""
        super().__init__(sql, row)
        self._texts = Texts(sql)
        self._counted = f"SELECT term, chunks FROM ({vocabulary}) AS counted WHERE"

    @abstractmethod
    def lexical(self, searched: Mapping[str, int], limit: int) -> dict[int, float]:
        """The best chunks that hold some of the terms, best first, with a score: their BM25, or
        how rare the terms are that each holds.
        """

    @abstractmethod
    def dense(self, vector: Vectors, limit: int) -> dict[int, float]:
        """The cosines of the nearest chunks, best first; some may be gone, since no number is given
        twice.
        """

    @abstractmethod
    def cosines(self, vector: Vectors, rows: Sequence[int]) -> dict[int, float]:
        """The cosines of these chunks, by row."""

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each term; 0 for a term that none holds."""
        rows = rows_of_many(self._sql, f"{self._counted} term IN ({{some}})", wanted)
        return dict.fromkeys(wanted, 0) | dict(rows)

    def vocabulary(self, first: str, longest: int) -> list[str]:
        """The terms with this beginning that are not longer."""
        found = self._sql.execute(
            f"{self._counted} term >= $1 AND term < $2 AND length(term) <= $3",
            (first, first + "\U0010ffff", longest),
        )
        return [term for term, _ in found]

    def close(self) -> None:
        """Lets go of what it opened beside the database."""

    @property
    def chunk_count(self) -> int:
        return self._totals[1]

    @property
    def document_count(self) -> int:
        return self._totals[0]

    @cached_property
    def _totals(self) -> tuple[int, int, int]:
        return self.totals()

    def outline(self, most: int) -> list[DocumentOutline]:
        """Of the first documents by source."""
        rows = self._asked(
            "SELECT id, source, title, characters FROM documents WHERE collection_id = $1"
            " ORDER BY source LIMIT $2",
            most,
        )
        return [
            DocumentOutline(decode_path(source), title, self._headings(row), characters)
            for row, source, title, characters in rows
        ]

    def document_id(self, source: str) -> int | None:
        rows = self._asked(
            "SELECT id FROM documents WHERE collection_id = $1 AND source = $2",
            encode_path(source),
        )
        return int(rows[0][0]) if rows else None

    def text(self, document: int) -> str:
        return self._texts.whole(document)

    def read(self, rows: Sequence[int]) -> dict[int, RetrievedChunk]:
        held: dict[int, list[Any]] = defaultdict(list)
        for found in rows_of_many(self._sql, _CHUNKS, rows):
            held[found[1]].append(found)
        return {
            row: _retrieved(text, *rest)
            for document, text in self._texts.each(held)
            for row, _, *rest in held[document]
        }

    def find_chunk(self, key: int) -> tuple[int, int] | None:
        rows = self._asked(
            "SELECT document_id, id FROM chunks WHERE collection_id = $1 AND key = $2", key
        )
        return rows[0] if rows else None

    def chunk_rows(self, document: int) -> list[int]:
        query = "SELECT id FROM chunks WHERE document_id = $1 ORDER BY id"
        return [row for (row,) in self._sql.execute(query, (document,)).fetchall()]

    def _headings(self, document: int) -> tuple[str, ...]:
        query = "SELECT heading FROM chunks WHERE document_id = $1 ORDER BY id"
        rows = self._sql.execute(query, (document,)).fetchall()
        return tuple(dict.fromkeys(filter(None, (without_header(row[0])[0] for row in rows))))


def _retrieved(whole: str, *columns: Any) -> RetrievedChunk:
    """A chunk as a search gives it, not scored yet: its document's text, and _CHUNKS from `source`
    on.
    """
    from rag.text.blocks import blocks_of_text

    source, title, key, heading, page, anchor, *lines, start, end, blocks = columns
    text = whole[start:end]
    return {
        "chunk_id": chunk_id_of(key),
        "source": decode_path(source),
        "title": title,
        "heading": heading,
        "page": page,
        "anchor": anchor,
        "start_line": lines[0],
        "end_line": lines[1],
        "start_char": start,
        "end_char": end,
        "text": text,
        "blocks": decode_blocks(blocks) if blocks else blocks_of_text(text, base=start),
        "score": 0.0,
        "dense_rank": None,
        "lexical_rank": None,
        "loop": 0,
    }
