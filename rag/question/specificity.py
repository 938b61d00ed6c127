"""How much a word says in any text, without a list of words.

Static embeddings are averaged to a text's meaning, so training makes a word's vector longer the
more the word decides: "sure" has a third of the length of "parquet" (Schakel and Wilson 2015,
"Measuring Word Significance using Distributed Representations of Words").
"""

from __future__ import annotations

from functools import lru_cache

from rag.embed.builtin import builtin_embedder
from rag.index.terms import fold, term_spans

USUAL = 16.0
"""The length of the vector of a middling noun, "child" or "vote", in the builtin embedder."""
LEAST, MOST = 0.1, 1.25


def total_specificity(text: str) -> float:
    """The sum of the specificities of a text's distinct words."""
    return sum(map(specificity, {fold(text[start:end]) for start, end, _ in term_spans(text)}))


@lru_cache(maxsize=4096)
def specificity(word: str) -> float:
    """The specificity of a word, from LEAST to MOST; about 1 for a middling noun."""
    # Its vector knows digits, not which number they are.
    if any(character.isdigit() for character in word):
        return 1.0
    return min(max(builtin_embedder().length(word) / USUAL, LEAST), MOST)
