"""Late-interaction reranking (MaxSim over token vectors): of the transformer where its weights were
fetched, else of the builtin embedder's static vectors. A cross-encoder, whose weights are fetched
with it, reads the best of what was found with the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from rag.embed.protocol import TokenVectors
from rag.index.language import ENGLISH, current_language
from rag.question.followup import resolved_wordings
from rag.question.parse import split_context
from state.documents import text_with_headings
from state.passages import RetrievedChunk

if TYPE_CHECKING:
    from rag.embed.cross_encoder import CrossEncoder
    from rag.embed.protocol import Vectors
    from rag.embed.transformer import Transformer
    from rag.reading.reading_cache import ReadingCache

CANDIDATES = 24
MEAN_WEIGHT = 0.25
"""Of the cosine of mean vectors, for which the transformer was trained, beside MaxSim: of 147
questions on seven documentations 104 are so answered in what is shown, as long as with 102 without.
"""
SIMILARITY_WEIGHT = 1.5
"""Of the similarity beside the fused score, both as z-scores of the candidates. Of 147 questions on
seven documentations the first chunk holds the answer of 95 and the first eight of 131, with the
cosine of the chunks' mean vectors in its place of 86 and 128."""


class Reranker:
    """Orders chunks by how near they are to a query; the home may hold no transformer."""

    def __init__(self, home: Path) -> None:
        from rag.embed.weights import JUDGE, installed_model

        self._home = home
        held, judge = installed_model(home), installed_model(home, JUDGE)
        self._folder = held.folder if held else None
        self._judge = judge.folder if judge else None

    @property
    def is_neural(self) -> bool:
        """Whether the transformer reads this question: its weights are here and it is English."""
        return self._folder is not None and current_language() == ENGLISH

    @property
    def judges(self) -> bool:
        """Whether the cross-encoder reads this question too."""
        return self.is_neural and self._judge is not None

    def prepare(self, question: str) -> None:
        """Starts loading the models in the background, while the search runs, unless they read the
        question before.
        """
        if self.is_neural:
            assert self._folder is not None
            model, kept = _opened(self._folder, self._home)
            if not kept.contains(question):
                model.prepare()
                if self._judge is not None:
                    _judge(self._judge).prepare()

    def judged(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, 0 to 1, in whichever wording of a follow-up it
        does best; only where it `judges`.
        """
        assert self._folder is not None
        assert self._judge is not None
        judge, (_, kept) = _judge(self._judge), _opened(self._folder, self._home)
        asked = resolved_wordings(question) or [question]
        said = [kept.scores(each, texts, partial(judge.scores, each)) for each in asked]
        return [*map(max, zip(*said, strict=True))]

    def similarities(self, question: str, texts: Sequence[str]) -> list[MaxSim]:
        """Of each text to the question as a whole; where the question carries context, also to what
        was typed and to what that may mean.
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
        if not self.is_neural:
            from rag.embed.builtin import builtin_embedder

            embedder = builtin_embedder()
            return [TokenVectors(*embedder.word_vectors(text)) for text in texts]
        assert self._folder is not None
        model, kept = _opened(self._folder, self._home)
        return kept.vectors(texts, model.read)


def chunk_with_headings(chunk: RetrievedChunk) -> str:
    """A chunk as the reranker reads it: its text stands at the end."""
    return text_with_headings(chunk["title"], chunk["heading"], chunk["text"])


@lru_cache(maxsize=2)
def _opened(folder: Path, home: Path) -> tuple[Transformer, ReadingCache]:
    """Of this process: the weights are read once."""
    from rag.embed.transformer import Transformer
    from rag.reading.reading_cache import ReadingCache

    return Transformer(folder), ReadingCache(home / "reading.db")


@lru_cache(maxsize=1)
def _judge(folder: Path) -> CrossEncoder:
    """Of this process, too."""
    from rag.embed.cross_encoder import CrossEncoder

    return CrossEncoder(folder)


def _z(values: Vectors) -> Vectors:
    spread = float(values.std())
    return (values - values.mean()) / spread if spread > 1e-9 else values * 0


class MaxSim:
    """Late interaction: a text is as near to a question as, on average over the question's tokens,
    its nearest token is (ColBERT's MaxSim, Khattab and Zaharia 2020). A token's vector knows what
    stands around it, so one reading of a chunk tells of each stretch of it.

    Of one text to a question, which may be read in several ways, each in one or more wordings, of
    which the nearest counts.
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

    def within(self, *extents: tuple[int, int]) -> list[float]:
        """The same of the text in these extents, plus the weighted cosine of its mean vector."""
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
    """A row a token of the question: its cosines, times its share in the whole."""
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
    """Of length 1."""
    mean: Vectors = _unit(vectors.mean(axis=0, keepdims=True))[0]
    return mean
