"""How near texts are to a question in meaning: by the transformer where its weights were fetched,
else by the static vectors of the builtin embedder; and a collection ranked so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.index.language import ENGLISH, in_use
from rag.question.parse import parted
from state.documents import headed_text
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors
    from rag.index.reader import CollectionReader
    from rag.reading.kept_vectors import KeptVectors
    from rag.reading.transformer import Transformer

CANDIDATES = 30
"""Of 147 questions the first eight hold the answer of 130 so, of 129 with 50 in twice the time."""
MEANING_WEIGHT = 1.5
"""Of the cosine beside the fused score, both as z-scores of the candidates. Of 60 questions on five
documentations 1 puts the answer among the first eight chunks of 48, 1.5 and 3 of 51 and 50."""


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
            return static_cosines(asked, texts)
        assert self._folder is not None
        model, kept = _opened(self._folder, self._home)
        found = kept.vectors([*asked, *texts], model.vectors)
        cosines: Vectors = found[: len(asked)] @ found[len(asked) :].T
        return cosines


def static_cosines(questions: Sequence[str], texts: Sequence[str]) -> Vectors:
    """By the builtin embedder; float32 of shape (len(questions), len(texts))."""
    from rag.embed.builtin import builtin_embedder

    embedder = builtin_embedder()
    cosines: Vectors = embedder.embed_documents(questions) @ embedder.embed_documents(texts).T
    return cosines


@lru_cache(maxsize=2)
def _opened(folder: Path, home: Path) -> tuple[Transformer, KeptVectors]:
    """Of this process: the weights are read once."""
    from rag.reading.kept_vectors import KeptVectors
    from rag.reading.transformer import Transformer

    return Transformer(folder), KeptVectors(home / "reading.db")


class RankedCollection:
    """A CollectionReader whose best chunks are put in order by their meaning;
    all but the order of what `search` finds is `plain`'s own.
    """

    def __init__(self, plain: CollectionReader, meaning: Meaning) -> None:
        self.plain = plain
        self.meaning = meaning

    def search(self, query: str, k: int) -> list[RetrievedChunk]:
        """The best of the fusion by score and meaning; what lies behind them stays behind."""
        hits = self.plain.search(query, max(k, CANDIDATES))
        if len(hits) < 2 or not query.strip() or not self.meaning.reads:
            return hits[:k]
        import numpy as np

        best = hits[:CANDIDATES]
        texts = [headed_text(hit["title"], hit["heading"], hit["text"]) for hit in best]
        cosines = self.meaning.cosines(query, texts).mean(axis=0)
        fused = np.array([hit["score"] for hit in best], dtype=np.float32)
        scores = _z(fused) + MEANING_WEIGHT * _z(cosines)
        least = float(scores.min())
        order = sorted(range(len(best)), key=lambda place: -scores[place])
        found: list[RetrievedChunk] = [
            {**best[n], "score": float(scores[n]) - least, "meaning": float(cosines[n])}
            for n in order
        ]
        behind: list[RetrievedChunk] = [{**hit, "score": 0.0} for hit in hits[CANDIDATES:]]
        return [*found, *behind][:k]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)


def _z(values: Vectors) -> Vectors:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-9 else values * 0
