"""What a hybrid search finds, in any store: the numbers are the same wherever a collection is
kept; a store answers its own `Queries`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rag.index.candidates import Candidates
from rag.index.coverage import rarities
from rag.index.fusion import BEGINNING, fuse
from rag.index.language import in_use
from rag.index.lexical import query_terms, searched_terms
from rag.index.names import NAMED_CHUNKS, named_documents

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors
    from rag.index.queries import Queries
    from rag.index.vocabulary import Vocabulary

CANDIDATES = 100
"""What each leg brings."""

RANKED = 50
"""How many of the fused are read and ranked by their own words."""


def candidates(
    legs: Queries, vocabulary: Vocabulary, query: str, vector: Vectors, k: int
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
    legs: Queries, query: str, frequencies: Mapping[str, int], searched: Mapping[str, int]
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
