"""How much a word says in any text, without a list of words.

In static embeddings that are averaged to a text's meaning, training makes a word's vector the
longer the more it decides: "sure" has a third of the length of "parquet" (Schakel and Wilson
2015, "Measuring Word Significance using Distributed Representations of Words").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rag.embed.builtin import builtin_embedder
from rag.index.terms import fold, term_spans

USUAL = 16.0
"""The length of the vector of a middling noun, "child" or "vote", in the builtin embedder."""
LEAST, MOST = 0.1, 1.25

_INSIDE = re.compile(r"(?<=[^\s.?!:]\s)[^\w\s]*(\w+)")
"""A word that does not begin a sentence."""


def capitalized(text: str) -> set[str]:
    """The terms of words inside a sentence that begin with a capital, where not all words do: these
    name something.
    """
    inside = [word.start(1) for word in _INSIDE.finditer(text)]
    capital = {start for start in inside if text[start].isupper()}
    if len(capital) == len(inside):
        return set()
    return {term for start, _, found in term_spans(text) if start in capital for term in found}


def total_specificity(text: str) -> float:
    """How much a text says in all, each of its words once."""
    words = {fold(text[start:end]) for start, end, _ in term_spans(text)}
    return sum(specificities([*words]))


def specificities(words: Sequence[str]) -> list[float]:
    """Of each word, LEAST to MOST; about 1 for a middling noun."""
    return [_specificity(word) for word in words]


@lru_cache(maxsize=4096)
def _specificity(word: str) -> float:
    # Its vector knows digits, not which number they are.
    if any(character.isdigit() for character in word):
        return 1.0
    return min(max(builtin_embedder().length(word) / USUAL, LEAST), MOST)
