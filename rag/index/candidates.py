"""What a hybrid search finds: what both legs bring for a query, ranked by one measure. The numbers
are the same wherever a collection is kept; a store answers its own `Queries`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.index.names import NAMED_CHUNKS, name_words, named_documents
from rag.index.ranking import (
    BEGINNING,
    MEANT_WEIGHT,
    NAMED_WEIGHT,
    WINDOW_WEIGHT,
    best_window,
    fuse,
    named,
    okapi,
    rarities,
    term_weights,
)
from rag.index.repeats import Likeness, first_of_each
from rag.index.terms import terms
from state.passages import RetrievedChunk, Signs, is_web

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors
    from rag.index.queries import Queries
    from rag.index.vocabulary import Vocabulary

CANDIDATES = 100
"""What each leg brings."""

RANKED = 50
"""How many of the fused are read and ranked by their own words."""

QUERY_CHARACTERS = 100_000
QUERY_WORDS = 1_000
SEARCHED_TERMS = 64
SEARCHED_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Candidates:
    """Chunks by row, not scored yet.

    Attributes:
        cosine: of those whose vector is known, and of others that were compared.
        meant: how surely the query names a chunk's document.
        frequencies: in how many chunks of the collection each of the query's terms is.
        total: the collection's chunks.
    """

    chunks: Mapping[int, RetrievedChunk]
    cosine: Mapping[int, float]
    meant: Mapping[int, float]
    frequencies: Mapping[str, int]
    total: int

    def best(self, k: int) -> list[RetrievedChunk]:
        """The `k` best, scored, best first; of copies the best stands for all."""
        weights = term_weights(self.frequencies, self.total)
        words = {row: chunk_terms(chunk) for row, chunk in self.chunks.items()}
        lengths = [len(body) + len(head) for body, head in words.values()]
        average = max(sum(lengths), 1) / max(len(lengths), 1)
        counted = {
            row: score
            for row, (body, head) in words.items()
            if (score := okapi(weights, average, body, head))
        }
        fused, signs = fuse(counted, self.cosine), dict[int, Signs]()
        for row, (body, head) in words.items():
            window = best_window(weights, body, head)
            called = named(weights, terms(self.chunks[row]["title"] or ""))
            score = fused.get(row, 0.0) + WINDOW_WEIGHT * window + NAMED_WEIGHT * called
            bm25 = counted.get(row, 0.0)
            signs[row] = {"bm25": bm25, "window": window, "named": called, "fused": score}
        scores = {
            row: own["fused"] + MEANT_WEIGHT * self.meant.get(row, 0.0)
            for row, own in signs.items()
        }
        ranked = sorted(words, key=lambda row: (-scores[row], row))
        texts = {row: Likeness.of(terms(chunk["text"])) for row, chunk in self.chunks.items()}
        copies = first_of_each(ranked, texts, weights.keys())
        found = []
        for best in list(copies)[:k]:
            chunk = self.chunks[best]
            if also := {self.chunks[copy]["source"] for copy in copies[best]} - {chunk["source"]}:
                chunk["also"] = sorted(also)
            if best in self.meant:
                chunk["meant"] = min(self.meant[best], 1.0)
            chunk["score"] = scores[best]
            chunk["signs"] = signs[best]
            found.append(chunk)
        return found


def chunk_terms(chunk: RetrievedChunk) -> tuple[list[str], list[str]]:
    """The terms of a chunk and of what stands above it, its document's name first; what a page of
    the web is called is its author's choice.
    """
    called = () if is_web(chunk) else name_words(chunk["source"])
    head = [*called, chunk["title"] or "", chunk["heading"]]
    return terms(chunk["text"]), terms(" ".join(head))


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
    return Candidates(chunks, cosine, meant, frequencies, legs.chunk_count)


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
