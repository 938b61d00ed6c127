"""Texts to vectors by a transformer that runs here: all-MiniLM-L6-v2, int8 (`onnx_graph.py`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.reading.weights import GRAPH, TOKENIZER
from state.errors import SetupError

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors

TOKENS = 256
"""Of a text; what stands behind is not read."""
_TOKENS_AT_ONCE = 4096
_CHARACTERS_A_TOKEN = 12
"""No text is given to the tokenizer that is much longer than what it may take of it."""


class Transformer:
    """The graph and the tokenizer in one folder. Nothing is read before the first text.

    Raises:
        SetupError: they cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, float32 of shape (len(texts), width). Texts of a length go together."""
        import numpy as np

        self._tokenizer.enable_truncation(TOKENS)
        longest = TOKENS * _CHARACTERS_A_TOKEN
        clean = [text[:longest].encode("utf-8", "replace").decode("utf-8") for text in texts]
        encoded = [each.ids for each in self._tokenizer.encode_batch(clean)]
        order = sorted(range(len(encoded)), key=lambda place: -len(encoded[place]))
        found: Vectors = np.zeros((len(texts), self._width), dtype=np.float32)
        while order:
            length = len(encoded[order[0]])
            batch = order[: max(_TOKENS_AT_ONCE // length, 1)]
            order = order[len(batch) :]
            ids = np.zeros((len(batch), length), dtype=np.int64)
            for row, place in enumerate(batch):
                ids[row, : len(encoded[place])] = encoded[place]
            # An empty text has the two marks of a text at least; nothing else has the id 0.
            given = {"ids": ids, "mask": (ids > 0).astype(np.int64)}
            found[batch] = self._session.run(None, given)[0]
        return found

    @cached_property
    def _width(self) -> int:
        return int(self._session.get_outputs()[0].shape[1])

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
