"""Vectors of single words, kept: the words of one collection come again with every question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.embed.protocol import Embedder, Vectors

if TYPE_CHECKING:
    from rag.embed.protocol import EmbedderIdentity

MOST_WORDS = 20_000
"""Of one embedder some 20 MB; then all are forgotten."""

_kept: dict[EmbedderIdentity, dict[str, Vectors]] = {}


def word_vectors(words: Sequence[str], embedder: Embedder) -> Vectors:
    """Shape (len(words), dimension); as `embed_documents` gives them."""
    import numpy as np

    if not words:
        return embedder.embed_documents([])
    kept = _kept.setdefault(embedder.identity, {})
    new = [word for word in dict.fromkeys(words) if word not in kept]
    if len(kept) + len(new) > MOST_WORDS:
        kept = _kept[embedder.identity] = {}  # another thread may still read the old one
        new = list(dict.fromkeys(words))
    kept.update(zip(new, embedder.embed_documents(new), strict=True))
    return np.stack([kept[word] for word in words])
