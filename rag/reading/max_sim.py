"""Late interaction: a text is as near to a question as, on average over the question's tokens, its
nearest token is (ColBERT's MaxSim, Khattab and Zaharia 2020). A token's vector knows what stands
around it, so one reading of a chunk tells of each stretch of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.embed.protocol import TokenVectors, Vectors


class MaxSim:
    """Of one text to a question, which may have been read in several ways."""

    def __init__(self, questions: Sequence[TokenVectors], text: TokenVectors) -> None:
        import numpy as np

        self._spans = text.spans
        self._near: list[Vectors] = []
        unit = _unit(text.vectors).T
        for asked in (question.vectors for question in questions):
            if len(asked) and len(text.vectors):
                # A row a token of the question: its cosines, times its share in the whole.
                share = 1 / np.linalg.norm(asked, axis=1).sum()
                self._near.append(asked * share @ unit)

    def whole(self) -> list[float]:
        """To each way of reading the question; nothing where nothing was read."""
        return [float(near.max(axis=1).sum()) for near in self._near]

    def of(self, *extents: tuple[int, int]) -> list[float]:
        """The same of what stands in some places of the text; -1 to 1 each."""
        begins, ends = self._spans.T
        inside = sum((ends > start) & (begins < end) for start, end in extents) > 0
        if not inside.any():
            return []
        return [float(near[:, inside].max(axis=1).sum()) for near in self._near]


def _unit(vectors: Vectors) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    found: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return found
