"""Late-interaction reranking (MaxSim over token vectors), by the transformer where the weights were
fetched, else by the builtin embedder's static vectors. With the transformer comes a cross-encoder,
which scores the best stretches together with the question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path, PurePath
from statistics import fmean
from typing import TYPE_CHECKING

from rag.embed.protocol import TokenVectors
from rag.index.language import ENGLISH, current_language
from rag.question.followup import resolved_wordings
from rag.question.parse import split_context
from state.documents import text_with_headings
from state.passages import RetrievedChunk, is_web

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors
    from rag.embed.transformer import CrossEncoder, Transformer

CANDIDATES = 36
MEAN_WEIGHT = 0.25
"""The weight beside MaxSim of the mean vectors' cosine, which the transformer was trained for: of
147 questions on seven documentations 104 are answered in what is shown; without it 102, at equal
length."""
SIMILARITY_WEIGHT = 3.0
"""The weight of the similarity beside the fused score, both as z-scores over the candidates. Of 327
questions on twelve documentations, which the reader was not trained on, the first eight chunks
answer 262; with half of it 260, and with the best 24 instead of 36 put in order 253.
"""
_JOINED = re.compile(r"[\W_]+")
"""What joins the words of a file's name."""


class Reranker:
    """Orders chunks by how near they are to a query; the home may hold no models."""

    def __init__(self, home: Path) -> None:
        from rag.embed.weights import installed_models

        held = installed_models(home)
        self._models = _models(*(each.folder for each in held)) if held else None
        if held:
            from rag.reading.reading_cache import ReadingCache

            self._kept = ReadingCache(home / "reading.db")

    @property
    def is_neural(self) -> bool:
        """Whether the models read this question: they are installed and the question English."""
        return self._models is not None and current_language() == ENGLISH

    def prepare(self) -> None:
        """Starts loading the models in the background, while the search runs."""
        if self._models is not None and self.is_neural:
            for model in self._models:
                model.prepare()

    def judged(self, question: str, texts: Sequence[str]) -> list[float]:
        """The cross-encoder's score of each text as an answer, 0 to 1: the best over the wordings
        of a follow-up. To be called only where the reranker `is_neural`.
        """
        assert self._models is not None
        asked = resolved_wordings(question) or [question]
        said = [self._models[1].scores(each, texts) for each in asked]
        return [*map(max, zip(*said, strict=True))]

    def similarities(self, question: str, texts: Sequence[str]) -> list[MaxSim]:
        """The similarity of each text to the whole question; where that carries context, also to
        the question as typed and to what it may mean.
        """
        typed, carried = split_context(question)
        ways = [[question], *(([typed], resolved_wordings(question)) if carried else ())]
        asked = [wording for way in ways for wording in way]
        found = iter(self._read([*asked, *texts]))
        read = [[next(found) for _ in way] for way in ways]
        return [MaxSim(read, text) for text in found]

    def rerank(self, query: str, found: Sequence[RetrievedChunk]) -> list[RetrievedChunk]:
        """The first CANDIDATES ordered by score and similarity, the others behind them; unchanged
        without the transformer.
        """
        if len(found) < 2 or not query.strip() or not self.is_neural:
            return [*found]
        import numpy as np

        best = found[:CANDIDATES]
        near = self.similarities(query, list(map(chunk_with_headings, best)))
        similar = np.array([np.mean(each.whole() or 0.0) for each in near], dtype=np.float32)
        fused = np.array([chunk["score"] for chunk in best], dtype=np.float32)
        scores = _z(fused) + SIMILARITY_WEIGHT * _z(similar)
        least = float(scores.min())
        ordered: list[RetrievedChunk] = [
            {**best[n], "score": float(scores[n]) - least}
            for n in sorted(range(len(best)), key=lambda place: -scores[place])
        ]
        behind: list[RetrievedChunk] = [{**chunk, "score": 0.0} for chunk in found[CANDIDATES:]]
        return [*ordered, *behind]

    def _read(self, texts: Sequence[str]) -> Sequence[TokenVectors]:
        if self._models is not None and self.is_neural:
            return self._kept.vectors(texts, self._models[0].read)
        from rag.embed.builtin import builtin_embedder

        return [TokenVectors(*builtin_embedder().word_vectors(text)) for text in texts]


def chunk_with_headings(chunk: RetrievedChunk) -> str:
    """A chunk as the reranker reads it: its text stands at the end."""
    return text_with_headings(title_of(chunk), chunk["heading"], chunk["text"])


def title_of(chunk: RetrievedChunk) -> str:
    """The title of a chunk's document; what has none is called as its file is. A page of the web is
    not: its author may choose any words.
    """
    if chunk["title"] or is_web(chunk):
        return chunk["title"] or ""
    return _JOINED.sub(" ", PurePath(chunk["source"]).stem).strip()


@cache
def _models(reader: Path, judge: Path) -> tuple[Transformer, CrossEncoder]:
    """Shared in the process: the weights are read once."""
    from rag.embed.transformer import CrossEncoder, Transformer

    return Transformer(reader), CrossEncoder(judge)


def _z(values: Vectors) -> Vectors:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-9 else values * 0


class MaxSim:
    """The similarity of a text to a question: each token of the question counts by its cosine to
    the nearest token of the text (ColBERT's MaxSim, Khattab and Zaharia 2020). A token's vector
    depends on its context, so one encoding of a chunk serves each stretch of it.

    The question may be read in several `ways`, each in one or more wordings; of a way its nearest
    wording counts.
    """

    def __init__(self, ways: Sequence[Sequence[TokenVectors]], text: TokenVectors) -> None:
        self._text = text
        unit = _unit(text.vectors).T
        held = [[each.vectors for each in way if len(each.vectors)] for way in ways]
        read = [way for way in held if way and len(text.vectors)]
        self._near = [[_cosines(each, unit) for each in way] for way in read]
        self._means = [[_mean(each) for each in way] for way in read]

    def whole(self) -> list[float]:
        """MaxSim of the whole text to each way of reading the question; empty for no tokens."""
        return [max(map(_nearest, way)) for way in self._near]

    def nearness(self, *extents: tuple[int, int]) -> float:
        """How near the text `within` these is, over all ways; 0 where no token stands there."""
        return fmean(self.within(*extents) or [0.0])

    def within(self, *extents: tuple[int, int]) -> list[float]:
        """The same for the text within `extents`, plus the weighted cosine of the mean vectors."""
        begins, ends = self._text.spans.T
        inside = sum((ends > start) & (begins < end) for start, end in extents) > 0
        if not inside.any():
            return []
        mean = _mean(self._text.vectors[inside])
        return [
            max(_nearest(each[:, inside]) for each in near)
            + MEAN_WEIGHT * max(float(each @ mean) for each in means)
            for near, means in zip(self._near, self._means, strict=True)
        ]


def _cosines(asked: Vectors, unit: Vectors) -> Vectors:
    """One row per token of the question: its cosines, weighted by the length of its vector."""
    import numpy as np

    cosines: Vectors = asked * (1 / np.linalg.norm(asked, axis=1).sum()) @ unit
    return cosines


def _nearest(cosines: Vectors) -> float:
    return float(cosines.max(axis=1).sum())


def _unit(vectors: Vectors) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return found


def _mean(vectors: Vectors) -> Vectors:
    """The mean vector, scaled to length 1."""
    mean: Vectors = _unit(vectors.mean(axis=0, keepdims=True))[0]
    return mean
