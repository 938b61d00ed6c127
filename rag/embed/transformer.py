"""Vectors of the tokens of texts, by a transformer that runs here: all-MiniLM-L6-v2, int8
(`onnx_graph.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag.embed.onnx_session import GraphModel
from rag.embed.protocol import TokenVectors
from state.cores import usable_cores
from state.wording import without_surrogates

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors

TOKENS = 256
"""Tokens of a window: as many as the model was made to read at once."""
_OVERLAP = 32
_SAYS = re.compile(r"\w")
_CHARACTERS = 10_000
"""At most so many characters of a text are read."""


class Transformer(GraphModel):
    """Its texts are read one by one, each on every core."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, usable_cores(), TOKENS, _OVERLAP)

    def read(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Unit vectors of each text's tokens, except punctuation. A long text is read in windows
        that overlap, so that some of its tokens come twice.

        Raises:
            SetupError: the graph or the tokenizer cannot be read.
        """
        return [self._read(without_surrogates(text[:_CHARACTERS])) for text in texts]

    def _read(self, text: str) -> TokenVectors:
        """Reads a text by itself: in a batch it takes as long, and others change its rounding."""
        import numpy as np

        tokenizer, session = self.loaded()
        whole = tokenizer.encode(text)
        found: list[TokenVectors] = []
        for window in (whole, *whole.overflowing):
            ids = np.array([window.ids], dtype=np.int64)
            (vectors,) = session.run(None, {"ids": ids, "mask": np.ones_like(ids)})[0]
            found.append(_of_words(text, window.offsets, vectors))
        return TokenVectors(*map(np.concatenate, zip(*found, strict=True)))


def _of_words(text: str, spans: Sequence[tuple[int, int]], vectors: Vectors) -> TokenVectors:
    """The vectors of tokens that hold a letter or digit; special tokens have an empty span."""
    import numpy as np

    said = [n for n, (start, end) in enumerate(spans) if _SAYS.search(text, start, end)]
    kept = np.array([spans[n] for n in said], dtype=np.int32).reshape(len(said), 2)
    return TokenVectors(vectors[said], kept)
