"""Hybrid search: what the lexical and the dense leg find for a query, fused by one score. Scores do
not depend on the store, which only answers its `IndexQueries`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from rag.index.ranking import (
    NAME_WEIGHT,
    WINDOW_WEIGHT,
    best_window,
    fuse,
    name_match,
    okapi,
    rarity,
)
from rag.index.terms import terms
from rag.text.prose import one_line
from state.passages import RetrievedChunk, is_web

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors
    from rag.index.queries import IndexQueries
    from rag.index.vocabulary import Vocabulary

CANDIDATES = 100
"""How many chunks each leg finds."""

RANKED = 50
"""How many of the fused chunks are read and scored by their own terms."""

QUERY_CHARACTERS = 100_000
QUERY_WORDS = 1_000
SEARCHED_TERMS = 64
SEARCHED_ROWS = 10_000
_NAME_PART = re.compile(r"\d+|[^\W\d_]+")
_SUBTITLE = re.compile(r"\s+[-\u2013\u2014|]\s+|:\s+|\s+\(")


def best_chunks(
    index: IndexQueries, vocabulary: Vocabulary, query: str, vector: Vectors, k: int
) -> list[RetrievedChunk]:
    """The `k` best of what both legs find, with their scores, best first."""
    wanted = max(CANDIDATES, k)
    frequencies = vocabulary.frequencies(query_terms(query))
    searched = vocabulary.counts(vocabulary.forms(searched_terms(frequencies)))
    lexical = index.lexical(searched, wanted) if searched else {}
    dense = index.dense(vector, wanted)
    weights = {term: rarity(count, index.chunk_count) for term, count in frequencies.items()}
    rest = [row for row in lexical if row not in dense]
    cosine = dense | index.cosines(vector, rest)
    scores = fuse(lexical, cosine)
    best = sorted(scores, key=lambda row: (-scores[row], row))[: max(RANKED, k)]
    chunks = index.read(best)
    lexical_ranks = {row: rank for rank, row in enumerate(lexical, 1)}
    dense_ranks = {row: rank for rank, row in enumerate(dense, 1)}
    own = _scored(chunks, cosine, weights)
    asked = _name_terms(query[:QUERY_CHARACTERS])
    for row, chunk in chunks.items():
        chunk["lexical_rank"] = lexical_ranks.get(row)
        chunk["dense_rank"] = dense_ranks.get(row)
        sure = [name_match(asked, name, weights, index.chunk_count) for name in _names(chunk)]
        chunk["score"] = own[row] + NAME_WEIGHT * max(sure)
    # Of equal texts the best stands for all.
    firsts: dict[str, RetrievedChunk] = {}
    for row in sorted(chunks, key=lambda row: (-chunks[row]["score"], row)):
        firsts.setdefault(one_line(chunks[row]["text"]), chunks[row])
    return list(firsts.values())[:k]


def _scored(
    chunks: Mapping[int, RetrievedChunk], cosine: Mapping[int, float], weights: Mapping[str, float]
) -> dict[int, float]:
    """The fused score of each chunk, by row. `cosine`: with the query, also of chunks that were
    compared and not read; `weights`: of the query's terms.
    """
    words = {row: chunk_terms(chunk) for row, chunk in chunks.items()}
    lengths = [len(body) + len(head) for body, head in words.values()]
    average = max(sum(lengths), 1) / max(len(lengths), 1)
    counted = {
        row: score
        for row, (body, head) in words.items()
        if (score := okapi(weights, average, body, head))
    }
    fused = fuse(counted, cosine)
    return {
        row: fused.get(row, 0.0) + WINDOW_WEIGHT * best_window(weights, body, head)
        for row, (body, head) in words.items()
    }


def chunk_terms(chunk: RetrievedChunk) -> tuple[list[str], list[str]]:
    """The terms of a chunk's text, and those of its file's name, title and headings. The address of
    a web page does not count: its author may choose any words.
    """
    called = [] if is_web(chunk) else _name_terms(PurePath(chunk["source"]).stem)
    above = " ".join([chunk["title"] or "", chunk["heading"]])
    return terms(chunk["text"]), [*called, *terms(above)]


def terms_with_headings(chunk: RetrievedChunk) -> frozenset[str]:
    """The terms of a chunk, of what its file is called, its title and its headings."""
    return frozenset().union(*chunk_terms(chunk))


def _names(chunk: RetrievedChunk) -> list[list[str]]:
    """The terms of what a chunk's document is called: its file's name, a number in it, its title,
    and this without what explains it.
    """
    file, title = _name_terms(PurePath(chunk["source"]).stem), chunk["title"] or ""
    numbers = [[term] for term in file if term.isdigit()]
    titles = (title, _SUBTITLE.split(title, maxsplit=1)[0])
    return [file, *numbers, *map(_name_terms, titles)]


def _name_terms(text: str) -> list[str]:
    """The terms of a name, however its words are joined, numbers without leading zeros: of "PEP 8"
    as of "pep-0008".
    """
    return terms(" ".join(part.lstrip("0") or "0" for part in _NAME_PART.findall(text)))


def query_terms(query: str) -> list[str]:
    """The distinct terms of a query, in order; a very long query is cut."""
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
