"""How near texts are to a question in meaning: by the transformer where its weights were fetched,
else by the static vectors of the builtin embedder.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from rag.index.language import ENGLISH, in_use

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors
    from rag.reading.kept_vectors import KeptVectors
    from rag.reading.transformer import Transformer


class Meaning:
    """Of the weights in a home, which may hold none."""

    def __init__(self, home: Path) -> None:
        from rag.reading.weights import held_model

        self._home = home
        held = held_model(home)
        self._folder = held.folder if held else None

    @property
    def reads(self) -> bool:
        """Whether the transformer reads what is asked here and now: its words are English."""
        return self._folder is not None and in_use() == ENGLISH

    def cosines(self, question: str, texts: Sequence[str]) -> Vectors:
        """float32 of shape (len(texts),)."""
        if not self.reads:
            from rag.embed.builtin import builtin_embedder

            embedder = builtin_embedder()
            static: Vectors = embedder.embed_documents(texts) @ embedder.embed_query(question)
            return static
        assert self._folder is not None
        model, kept = _opened(self._folder, self._home)
        found = kept.vectors([question, *texts], model.vectors)
        cosines: Vectors = found[1:] @ found[0]
        return cosines


@lru_cache(maxsize=2)
def _opened(folder: Path, home: Path) -> tuple[Transformer, KeptVectors]:
    """Of this process: the weights are read once."""
    from rag.reading.kept_vectors import KeptVectors
    from rag.reading.transformer import Transformer

    return Transformer(folder), KeptVectors(home / "reading.db")
