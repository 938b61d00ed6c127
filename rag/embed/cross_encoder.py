"""A question and a text read together by a transformer that runs here: ms-marco-MiniLM-L-12-v2,
int8 (Nogueira and Cho 2019, "Passage Re-ranking with BERT").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from rag.embed.onnx_session import GraphModel
from state.cores import usable_cores
from state.wording import without_surrogates

TOKENS = 256
"""At most so many tokens of a question with its text are read."""
_OF_QUESTION, _OF_TEXT = 500, 1_500
"""At most so many characters of each are read."""
_FLATTENED = 0.3
"""Logits lie between -12 and 12: unscaled, most would be probabilities of nearly 0 or 1."""


class CrossEncoder(GraphModel):
    """Its pairs are read side by side, each on one core."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, threads=1, tokens=TOKENS)

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, 0 to 1; comparable between questions.

        Raises:
            SetupError: the graph or the tokenizer cannot be read.
        """
        question = without_surrogates(question[:_OF_QUESTION])
        read = [without_surrogates(text[:_OF_TEXT]) for text in texts]
        with ThreadPoolExecutor(usable_cores()) as pool:
            return [*pool.map(partial(self._score, question), read)]

    def _score(self, question: str, text: str) -> float:
        """Reads a pair by itself: in a batch it takes longer, and others change its rounding."""
        import numpy as np

        tokenizer, session = self.loaded()
        read = tokenizer.encode(question, text)
        given = {
            "input_ids": read.ids,
            "attention_mask": read.attention_mask,
            "token_type_ids": read.type_ids,
        }
        arrays = {name: np.array([ids], dtype=np.int64) for name, ids in given.items()}
        logit = float(session.run(None, arrays)[0][0, 0])
        return 1 / (1 + math.exp(-_FLATTENED * logit))
