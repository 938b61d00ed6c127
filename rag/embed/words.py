"""Vectors of single words, kept: the words of one collection come again with every question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.embed.protocol import Embedder, Vectors

if TYPE_CHECKING:
    from rag.embed.protocol import EmbedderIdentity

MOST_WORDS = 20_000
"""Some 20 MB; then all are forgotten."""

_kept: dict[tuple[EmbedderIdentity, str], Vectors] = {}


def word_vectors(words: Sequence[str], embedder: Embedder) -> Vectors:
    """Shape (len(words), dimension); as `embed_documents` gives them."""
    import numpy as np

    if not words:
        return embedder.embed_documents([])
    identity = embedder.identity
    found: dict[str, Vectors] = {}
    for word in words:
        if (vector := _kept.get((identity, word))) is not None:
            found[word] = vector
    new = [word for word in dict.fromkeys(words) if word not in found]
    if len(_kept) + len(new) > MOST_WORDS:
        _kept.clear()
    for word, vector in zip(new, embedder.embed_documents(new), strict=True):
        found[word] = _kept[identity, word] = vector
    return np.stack([found[word] for word in words])
