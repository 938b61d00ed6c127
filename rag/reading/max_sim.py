"""Late interaction: a text is as near to a question as, on average over the question's tokens, its
nearest token is (ColBERT's MaxSim, Khattab and Zaharia 2020). A token's vector knows what stands
around it, so one reading of a chunk tells of each stretch of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.embed.protocol import TokenVectors, Vectors


class MaxSim:
    """Of one text to a question, which may be read in several ways, each in one or more wordings,
    of which the nearest counts.
    """

    def __init__(self, ways: Sequence[Sequence[TokenVectors]], text: TokenVectors) -> None:
        self._spans = text.spans
        unit = _unit(text.vectors).T
        read = [[_cosines(each.vectors, unit) for each in way if len(each.vectors)] for way in ways]
        self._near = [way for way in read if way and len(text.vectors)]

    def whole(self) -> list[float]:
        """To each way of reading the question; nothing where nothing was read."""
        return [max(map(_nearest, way)) for way in self._near]

    def of(self, *extents: tuple[int, int]) -> list[float]:
        """The same of what stands in some places of the text; -1 to 1 each."""
        begins, ends = self._spans.T
        inside = sum((ends > start) & (begins < end) for start, end in extents) > 0
        if not inside.any():
            return []
        return [max(_nearest(each[:, inside]) for each in way) for way in self._near]


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
