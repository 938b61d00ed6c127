"""Texts to vectors of their tokens by a transformer that runs here: all-MiniLM-L6-v2, int8
(`onnx_graph.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from rag.reading.token_vectors import TokenVectors
from rag.reading.weights import GRAPH, TOKENIZER
from state.errors import SetupError

TOKENS = 512
"""Of a text, as many as the model has places for; what stands behind is not read."""
_TOKENS_AT_ONCE = 4096
_SAYS = re.compile(r"\w")
_CHARACTERS_A_TOKEN = 12
"""No text is given to the tokenizer that is much longer than what it may take of it."""


class Transformer:
    """The graph and the tokenizer in one folder. Nothing is read before the first text.

    Raises:
        SetupError: they cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Unit vectors of each text's tokens but its signs. Texts of a length go together."""
        import numpy as np

        self._tokenizer.enable_truncation(TOKENS)
        longest = TOKENS * _CHARACTERS_A_TOKEN
        clean = [text[:longest].encode("utf-8", "replace").decode("utf-8") for text in texts]
        encoded = self._tokenizer.encode_batch(clean)
        order = sorted(range(len(texts)), key=lambda place: -len(encoded[place].ids))
        found: dict[int, TokenVectors] = {}
        while order:
            length = len(encoded[order[0]].ids)
            batch = order[: max(_TOKENS_AT_ONCE // length, 1)]
            order = order[len(batch) :]
            ids = np.zeros((len(batch), length), dtype=np.int64)
            for row, place in enumerate(batch):
                ids[row, : len(encoded[place].ids)] = encoded[place].ids
            # An empty text has the two marks of a text at least; nothing else has the id 0.
            given = {"ids": ids, "mask": (ids > 0).astype(np.int64)}
            for place, vectors in zip(batch, self._session.run(None, given)[0], strict=True):
                spans, text = encoded[place].offsets, clean[place]
                said = [n for n, (start, end) in enumerate(spans) if _SAYS.search(text, start, end)]
                kept = np.array([spans[n] for n in said], dtype=np.int32).reshape(len(said), 2)
                found[place] = TokenVectors(vectors[said], kept)
        return [found[place] for place in range(len(texts))]

    @cached_property
    def _session(self) -> Any:
        import onnxruntime  # type: ignore[import-untyped]

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = len(os.sched_getaffinity(0))
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        file = str(self._folder / GRAPH)
        try:
            return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001 - its classes have no base of their own
            raise _unusable(self._folder, error) from None

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self._folder / TOKENIZER))
        except Exception as error:  # noqa: BLE001 - it raises no other class
            raise _unusable(self._folder, error) from None
        tokenizer.no_padding()
        return tokenizer


def _unusable(folder: Path, error: Exception) -> SetupError:
    first = str(error).splitlines()[0] if str(error) else type(error).__name__
    return SetupError(
        f"The reader's weights in {folder} cannot be used: {first}.",
        "`crag model remove`, then `crag model get`.",
    )
