"""Vectors from any OpenAI-compatible endpoint: batched, retried, checked before they are used."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from itertools import chain
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
from state.errors import ModelError
from state.settings import Settings
from state.wording import without_surrogates

if TYPE_CHECKING:
    from openai import OpenAI

BATCH = 64
AT_ONCE = 4
PATIENT_RETRIES = 12
"""Of a long ingest, which waits out rate limits."""


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
        return self._embed(texts, max(self._retries, PATIENT_RETRIES))

    def embed_query(self, text: str) -> Vectors:
        row: Vectors = self._embed([text], self._retries)[0]
        return row

    def _embed(self, texts: Sequence[str], retries: int) -> Vectors:
        # Servers refuse empty text; a lone surrogate cannot be sent at all.
        clean = [without_surrogates(text) for text in texts]
        wanted = [place for place, text in enumerate(clean) if text.strip()]
        batches = [
            [clean[place] for place in wanted[first : first + BATCH]]
            for first in range(0, len(wanted), BATCH)
        ]
        request = partial(self._request, self._client.with_options(max_retries=retries))
        with (
            record_call(call_log(), "embeddings", self._model, self._endpoint.host),
            ThreadPoolExecutor(AT_ONCE) as pool,
        ):
            # The first of all goes alone: the SDK makes its classes with the first reply.
            first = 0 if self._dimension else 1
            rows = [*chain.from_iterable(map(request, batches[:first]))]
            rows += chain.from_iterable(pool.map(request, batches[first:]))
        if rows:
            self._check(rows)
        vectors = np.zeros((len(texts), self.identity.dimension), dtype=np.float32)
        if rows:
            vectors[wanted] = rows
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return vectors

    def _request(self, client: OpenAI, texts: Sequence[str]) -> list[Vectors]:
        try:
            response = client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float"
            )
            rows = {row.index: np.ravel(np.float32(row.embedding)) for row in response.data}
            if set(rows) != set(range(len(texts))) or len(response.data) != len(texts):
                raise ValueError("not one embedding a text")
        except foreign_errors() as error:
            raise model_error(error, self._endpoint, self._model, self._timeout) from None
        return [rows[place] for place in range(len(texts))]

    def _check(self, rows: Sequence[Vectors]) -> None:
        """Also learns the dimension."""
        lengths = {len(row) for row in rows}
        if self._dimension is None and len(lengths) == 1:
            self._dimension = max(lengths) or None
        who = f"Model {self._model} at {self._endpoint.host}"
        if lengths != {self._dimension}:
            raise ModelError(
                f"{who} sent vectors of {sorted(lengths)} dimensions instead of "
                f"{self._dimension or 'one length'}.",
                "Check embedding_model: is it one model, and one for embeddings?",
            )
        if not np.isfinite(rows).all():
            raise ModelError(f"{who} sent vectors that hold no numbers.", "Check embedding_model.")

    @cached_property
    def _client(self) -> OpenAI:
        from openai import Timeout

        timeout = Timeout(self._timeout, connect=min(self._timeout, CONNECT_SECONDS))
        return sdk_client(self._endpoint, self._retries).with_options(timeout=timeout)
