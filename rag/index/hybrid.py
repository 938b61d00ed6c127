"""What a hybrid search finds, in any store: the numbers are the same wherever a collection is
kept; a store gives what is asked of its `Legs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from rag.index.candidates import Candidates
from rag.index.coverage import rarities
from rag.index.fusion import BEGINNING, fuse
from rag.index.language import in_use
from rag.index.lexical import query_terms, searched_terms
from rag.index.names import NAMED_CHUNKS, named_documents

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors
    from rag.index.vocabulary import Vocabulary
    from state.passages import RetrievedChunk

CANDIDATES = 100
"""What each leg brings."""

RANKED = 50
"""How many of the fused are read and ranked by their own words."""


class Legs(Protocol):
    """One moment of a collection, as a search asks for it. Chunks and documents are rows: numbers
    that mean something to this store alone, in the order in which they were written. Where some
    documents were chosen (`--files`), no chunk of another is found.
    """

    @property
    def chunk_count(self) -> int: ...

    @property
    def document_count(self) -> int:
        """Of the chosen ones alone."""

    def frequencies(self, wanted: Sequence[str]) -> dict[str, int]:
        """How many chunks hold each term; 0 for a term that none holds."""

    def lexical(self, searched: Mapping[str, int], limit: int) -> dict[int, float]:
        """BM25 of the chunks that hold any of these terms, best first. `searched`: how many chunks
        hold each.
        """

    def dense(self, vector: Vectors, limit: int) -> dict[int, float]:
        """The cosines of the nearest chunks, best first."""

    @property
    def dense_searched(self) -> str:
        """What answered `dense` last, as a trace tells it."""

    def vectors(self, keys: Sequence[int]) -> dict[int, Vectors]:
        """The stored vectors of those of these chunks, known by their ids' integers, that are held,
        float32 of shape (dimension,).
        """

    def cosines(self, vector: Vectors, rows: Sequence[int]) -> dict[int, float]:
        """The cosine of each of these chunks."""

    def read(self, rows: Sequence[int]) -> dict[int, RetrievedChunk]:
        """The chunks by row, not scored yet."""

    def place_of(self, key: int) -> tuple[int, int] | None:
        """(document, row) of the chunk whose id this integer is; None where it is not held."""

    def rows_of(self, document: int) -> list[int]:
        """A document's chunks in its order."""

    def headings(self, document: int) -> list[str]:
        """Those above a document's chunks, in its order, with repeats."""

    def text(self, document: int, start: int, end: int | None) -> str:
        """`document.text[start:end]`, without reading the rest."""

    def having(self, keys: Sequence[str]) -> Iterable[tuple[str, int, bytes]]:
        """(key, document, source) of the documents that have one of these names' keys."""

    def numbered(self, limit: int) -> list[tuple[str, int]]:
        """(key, document) of some documents whose name holds a number."""

    def beside(self, words: tuple[str, str], between: int, document: int) -> bool:
        """Whether a chunk of the document has both with at most so many terms between them."""

    def of_document(self, document: int, searched: Mapping[str, int], limit: int) -> list[int]:
        """The document's first chunk, then those with any of the terms, best first."""

    def vocabulary(self, first: str, shortest: int, longest: int) -> Iterator[tuple[str, int]]:
        """(term, document frequency) of the terms with this first letter and of these lengths."""

    def holding(self, term: str, limit: int) -> list[int]:
        """Some chunks that hold the term."""


def candidates(
    legs: Legs, vocabulary: Vocabulary, query: str, vector: Vectors, k: int
) -> Candidates:
    """What both legs bring, read: at least the `k` best are among them."""
    wanted = max(CANDIDATES, k)
    frequencies = vocabulary.frequencies(query_terms(query))
    searched = vocabulary.counts(vocabulary.forms(searched_terms(frequencies)))
    lexical = legs.lexical(searched, wanted) if searched else {}
    dense = legs.dense(vector, wanted)
    meant = _meant(legs, query, frequencies, searched)
    rest = [row for row in (*lexical, *meant) if row not in dense]
    cosine = dense | legs.cosines(vector, rest)
    scores = fuse(lexical, cosine)
    best = sorted(scores, key=lambda row: (-scores[row], row))[: max(RANKED, k)]
    best = list(dict.fromkeys([*best, *meant]))
    chunks = legs.read(best)
    lexical_ranks = {row: rank for rank, row in enumerate(lexical, 1)}
    dense_ranks = {row: rank for rank, row in enumerate(dense, 1)}
    for row, chunk in chunks.items():
        chunk["lexical_rank"] = lexical_ranks.get(row)
        chunk["dense_rank"] = dense_ranks.get(row)
    return Candidates(chunks, cosine, meant, frequencies, legs.chunk_count, in_use())


def _meant(
    legs: Legs, query: str, frequencies: Mapping[str, int], searched: Mapping[str, int]
) -> dict[int, float]:
    """Chunks of the documents that the query names, with how surely they are meant; a
    document's beginning, which says what it is, a little more.
    """
    found: dict[int, float] = {}
    rarity = rarities(frequencies, legs.chunk_count)
    for document, surely in named_documents(legs, query, rarity).items():
        rows = legs.of_document(document, searched, NAMED_CHUNKS)
        found |= dict.fromkeys(rows, surely)
        if rows:
            found[rows[0]] = surely * (1 + BEGINNING)
    return found
