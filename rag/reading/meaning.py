"""How near texts are to a question in meaning: by the transformer where its weights were fetched,
else by the static vectors of the builtin embedder.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from rag.index.language import ENGLISH, in_use
from rag.question.context import parted

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
        """float32 of shape (1 or 2, len(texts)): with the whole question, and with what was typed
        where something is carried behind it.
        """
        asked = list(dict.fromkeys((question, parted(question)[0])))
        if not self.reads:
            from rag.embed.builtin import builtin_embedder

            embedder = builtin_embedder()
            static: Vectors = embedder.embed_documents(asked) @ embedder.embed_documents(texts).T
            return static
        assert self._folder is not None
        model, kept = _opened(self._folder, self._home)
        found = kept.vectors([*asked, *texts], model.vectors)
        cosines: Vectors = found[: len(asked)] @ found[len(asked) :].T
        return cosines


@lru_cache(maxsize=2)
def _opened(folder: Path, home: Path) -> tuple[Transformer, KeptVectors]:
    """Of this process: the weights are read once."""
    from rag.reading.kept_vectors import KeptVectors
    from rag.reading.transformer import Transformer

    return Transformer(folder), KeptVectors(home / "reading.db")
