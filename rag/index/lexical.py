"""Which terms of a query the lexical index is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from rag.index.terms import indexed_text, terms

HEAD_WEIGHT = 2.0
"""Of a term in the title and headings above a chunk."""
QUERY_CHARACTERS = 100_000
QUERY_WORDS = 1_000
SEARCHED_TERMS = 64
SEARCHED_ROWS = 10_000


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


def indexed_head(title: str | None, heading: str) -> str:
    """The terms of what stands above a chunk."""
    return indexed_text(f"{title} {heading}" if title else heading)
