"""The transformers that run here, int8: all-MiniLM-L6-v2 gives vectors of a text's tokens
(`onnx_graph.py`), ms-marco-MiniLM-L-12-v2 reads a question and a text together (Nogueira and Cho
2019, "Passage Re-ranking with BERT").
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rag.embed.protocol import TokenVectors
from rag.embed.weights import GRAPH, TOKENIZER
from state.background import submit
from state.errors import SetupError
from state.extras import usable_cores
from state.wording import without_surrogates

if TYPE_CHECKING:
    from rag.embed.protocol import Vectors

T = TypeVar("T")
TOKENS = 256
"""Tokens that are read at once, as many as the models were made to read."""
_OVERLAP = 32
_SAYS = re.compile(r"\w")
_CHARACTERS = 10_000
"""At most so many characters of a text are read by itself,"""
_OF_QUESTION, _OF_TEXT = 500, 1_500
"""and so many of a question and of a text that are read together."""
_KEPT = 1_000
_FLATTENED = 0.3
"""Logits lie between -12 and 12: unscaled, most would be probabilities of nearly 0 or 1."""


class _Model:
    """The graph and the tokenizer in one folder. Nothing is read before it is asked for; texts are
    read side by side, each on one core.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def prepare(self) -> None:
        """Begins to load both in the background, beside a search; raises nothing."""
        _ = self._loaded

    @cached_property
    def _loaded(self) -> Future[tuple[Any, Any]]:
        return submit(self._load)

    def _load(self) -> tuple[Any, Any]:
        """The tokenizer and the session; raises SetupError where they cannot be read."""
        import onnxruntime  # type: ignore[import-untyped]
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        # They were optimized when they were made: it would take as long as all else.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        graph, words = (str(self._folder / name) for name in (GRAPH, TOKENIZER))
        cpu = ["CPUExecutionProvider"]
        try:
            tokenizer = Tokenizer.from_file(words)
            session = onnxruntime.InferenceSession(graph, options, providers=cpu)
        except Exception as error:  # noqa: BLE001 - their classes have no base of their own
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise SetupError(
                f"The reader's weights in {self._folder} cannot be used: {first}.",
                "`crag model remove`, then `crag model get`.",
            ) from None
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length=TOKENS, stride=_OVERLAP)
        return tokenizer, session


def _each(read: Callable[[str], T], texts: Sequence[str]) -> list[T]:
    with ThreadPoolExecutor(usable_cores()) as pool:
        return [*pool.map(read, texts)]


class Transformer(_Model):
    def read(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Unit vectors of each text's tokens, except punctuation. A long text is read in windows
        that overlap, so that some of its tokens come twice.

        Raises:
            SetupError: the graph or the tokenizer cannot be read.
        """
        return _each(self._read, [without_surrogates(text[:_CHARACTERS]) for text in texts])

    def _read(self, text: str) -> TokenVectors:
        """Reads a text by itself: in a batch it takes as long, and others change its rounding."""
        import numpy as np

        tokenizer, session = self._loaded.result()
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


class CrossEncoder(_Model):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._score = lru_cache(_KEPT)(self._read)  # one question is graded and answered by them

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question, 0 to 1; comparable between questions.

        Raises:
            SetupError: the graph or the tokenizer cannot be read.
        """
        question = without_surrogates(question[:_OF_QUESTION])
        read = [without_surrogates(text[:_OF_TEXT]) for text in texts]
        return _each(partial(self._score, question), read)

    def _read(self, question: str, text: str) -> float:
        """Reads a pair by itself: in a batch it takes longer, and others change its rounding."""
        import numpy as np

        tokenizer, session = self._loaded.result()
        read = tokenizer.encode(question, text)
        given = {"ids": read.ids, "mask": read.attention_mask, "kinds": read.type_ids}
        arrays = {name: np.array([ids], dtype=np.int64) for name, ids in given.items()}
        logit = session.run(None, arrays)[0].item()
        return 1 / (1 + math.exp(-_FLATTENED * logit))
