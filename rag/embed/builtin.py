"""The builtin embedder: WordLlama's static token vectors, read from its wheel, offline.

Weights and tokenizer are loaded straight from the installed package's files: importing `wordllama`
itself costs half a second, sets up logging and looks for a network.
A text's vector is the mean of its words' token vectors, as `WordLlama.embed(norm=True)` gives it
for words with single spaces between.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rag.embed.protocol import EmbedderIdentity, Vectors
from state.errors import SetupError, storage_error
from state.wording import without_surrogates

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from tokenizers import Tokenizer

DIMENSION = 256
_WEIGHTS = Path("weights") / "l2_supercat_256.safetensors"
_TOKENIZER = Path("tokenizers") / "l2_supercat_tokenizer_config.json"
_TENSOR = "embedding.weight"
_SEEN_WORDS = 1 << 15
# A query longer than this carries no more meaning in a mean of token vectors, only time.
_QUERY_CHARACTERS = 20_000
_WORD = re.compile(r"\S+")


class BuiltinEmbedder:
    """WordLlama (Miller 2024), 256 dimensions. Nothing is read before the first text.

    Raises:
        SetupError: the wordllama package, or a file of it, is missing or unreadable.
    """

    def __init__(self) -> None:
        self._ids = lru_cache(_SEEN_WORDS)(self._read_ids)

    @cached_property
    def identity(self) -> EmbedderIdentity:
        try:
            release = version("wordllama")
        except PackageNotFoundError:
            raise _unusable("it is not installed") from None
        return EmbedderIdentity("wordllama-l2-supercat", DIMENSION, release)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        weights = self._weights
        means: Vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in enumerate(texts):
            if ids := [*chain.from_iterable(map(self._ids, text.split()))]:
                means[row] = weights.take(ids, axis=0, mode="clip").sum(axis=0, dtype=np.float32)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        # No token, or tokens that cancel out: a zero row is like nothing, NaN would be.
        np.divide(means, lengths, out=means, where=lengths > 0)
        return means

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_documents([text[:_QUERY_CHARACTERS]])[0]
        return vector

    def word_vectors(self, text: str) -> tuple[Vectors, npt.NDArray[np.int32]]:
        """The vectors of the tokens, float32 of shape (tokens, DIMENSION), the longer the more a
        token says; and where the word of each begins and ends, int32 of shape (tokens, 2).
        """
        import numpy as np

        words = list(_WORD.finditer(text))
        held = [self._ids(word.group()) for word in words]
        ids = np.fromiter(chain.from_iterable(held), np.intp)
        spans = np.array([word.span() for word in words], np.int32).reshape(len(words), 2)
        vectors = self._weights.take(ids, axis=0, mode="clip").astype(np.float32)
        return vectors, spans.repeat(list(map(len, held)), axis=0)

    def length(self, word: str) -> float:
        """The Euclidean length of the sum of the word's token vectors; 0 for no word."""
        import numpy as np

        return float(np.linalg.norm(self.word_vectors(word)[0].sum(axis=0)))

    def has_word(self, word: str) -> bool:
        return self._tokenizer.token_to_id(f"\u2581{word}") is not None

    def _read_ids(self, word: str) -> list[int]:
        """The ids of a word's tokens. No token of this vocabulary spans two words; line breaks and
        indents have tokens too, which say nothing of a text's meaning and weigh much.
        """
        # A lone surrogate is no text; the tokenizer refuses it.
        read = self._tokenizer.encode(without_surrogates(word), add_special_tokens=False)
        ids: list[int] = read.ids
        return ids

    @cached_property
    def _root(self) -> Path:
        spec = find_spec("wordllama")
        if spec is None or not spec.submodule_search_locations:
            raise _unusable("it is not installed")
        return Path(spec.submodule_search_locations[0])

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        file = self._root / _TOKENIZER
        try:
            tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # noqa: BLE001 - it raises no other class
            raise _unusable(f"{file}: {error}") from None
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _weights(self) -> npt.NDArray[np.float16]:
        """float16 of shape (vocabulary, DIMENSION)."""
        import numpy as np
        from safetensors import SafetensorError, safe_open

        file = self._root / _WEIGHTS
        try:
            with safe_open(file, "numpy") as held:
                weights: npt.NDArray[np.float16] = held.get_tensor(_TENSOR)
        except (OSError, SafetensorError) as error:
            limit = storage_error(error) if isinstance(error, OSError) else None
            raise limit or _unusable(f"{file}: {error}") from None
        if weights.dtype != np.float16 or weights.shape[1:] != (DIMENSION,):
            raise _unusable(f"{file} holds {weights.dtype} {weights.shape}")
        return weights


@cache
def builtin_embedder() -> BuiltinEmbedder:
    """The one embedder of this process: its weights are read once."""
    return BuiltinEmbedder()


def _unusable(reason: str) -> SetupError:
    return SetupError(
        f"The builtin embedder (the wordllama package) cannot be used: {reason}.",
        "Install crag again.",
    )
