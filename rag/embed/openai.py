"""Vectors from any OpenAI-compatible endpoint, in batches, checked before they are used."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rag.budget import call_log, record_call
from rag.embed.protocol import EmbedderIdentity, Vectors
from rag.endpoint.address import (
    CONNECT_SECONDS,
    embedding_endpoint,
    request_seconds,
    sdk_client,
)
from rag.endpoint.failures import foreign_errors, model_error
from state.settings import Settings
from state.wording import without_surrogates

if TYPE_CHECKING:
    from openai import OpenAI

BATCH = 64


class OpenAIEmbedder:
    """An `Embedder`. Nothing is sent before the first text; the dimension is the server's,
    learnt from the first reply (a probe, if it is asked for before any text).
    """

    def __init__(self, settings: Settings) -> None:
        """Raises SettingsError: an unusable URL, or OpenAI itself without a key."""
        self._model = settings.embedding_model
        self._endpoint = embedding_endpoint(settings)
        self._timeout = request_seconds(settings.request_timeout, self._endpoint)
        self._retries = settings.max_retries
        self._dimension: int | None = None

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self._model!r} at {self._endpoint.host})"

    @property
    def identity(self) -> EmbedderIdentity:
        """The same model behind another address is the same embedder."""
        if self._dimension is None:
            self.embed_query("dimension")
        assert self._dimension is not None, "set by every reply"
        return EmbedderIdentity(f"openai:{self._model}", self._dimension, "1")

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        batches = [texts[first : first + BATCH] for first in range(0, len(texts), BATCH)]
        rows = [self._embed(batch) for batch in batches]
        return np.concatenate([np.zeros((0, self.identity.dimension), np.float32), *rows])

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self._embed([text])[0]
        return row

    def _embed(self, texts: Sequence[str]) -> Vectors:
        # Servers refuse empty text; a lone surrogate cannot be sent at all.
        sent = [without_surrogates(text) if text.strip() else "." for text in texts]
        try:
            with record_call(call_log(), "embeddings", self._model, self._endpoint.host):
                response = self._client.embeddings.create(
                    model=self._model, input=sent, encoding_format="float"
                )
            data = sorted(response.data, key=lambda row: row.index)
            rows = np.array([row.embedding for row in data], np.float32)
            known = self._dimension or rows.shape[-1]
            if rows.shape != (len(texts), known) or not rows.size or not np.isfinite(rows).all():
                raise ValueError("not a vector of numbers, as long as the others, for each text")
        except foreign_errors() as error:
            raise model_error(error, self._endpoint, self._model, self._timeout) from None
        self._dimension = known
        rows[[not text.strip() for text in texts]] = 0.0
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Vectors = np.divide(rows, lengths, out=rows, where=lengths > 0)
        return unit

    @cached_property
    def _client(self) -> OpenAI:
        from openai import Timeout

        timeout = Timeout(self._timeout, connect=min(self._timeout, CONNECT_SECONDS))
        return sdk_client(self._endpoint, self._retries).with_options(timeout=timeout)
